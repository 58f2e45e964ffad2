import { TroupeError } from '../../errors.ts';
import type { Session } from '../../session/session.ts';

/** The person of the demo, who says yes. Who was first, or left, makes the answer void: that is no fault (P4). */
export async function sayYes(session: Session | undefined, requestId: string): Promise<void> {
  try {
    await session?.permissions.answer(requestId, { behavior: 'allow' }, { by: 'the audience' });
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
  }
}
