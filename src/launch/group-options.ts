import { z } from 'zod';
import type { RestartType } from '../../machines/child/child-spec.ts';
import type { AutoShutdown, Strategy } from '../../machines/group/strategy.ts';
import { TroupeError } from '../errors.ts';
import type { DEFAULT_RESTART } from './defaults.ts';
import { BackoffShape, FilledText, RestartShape } from './field-schemas.ts';
import { fieldName, invalidOptions, issuesOf, type OptionIssue } from './option-issue.ts';
import { parseSessionOptions, type RestartOptions, type SessionOptions } from './session-options.ts';

/** A session of a group: its start options, and what it means to the group. */
export type SessionChildOptions = SessionOptions & {
  /** Its own end may end the group (`autoShutdown`). Default false; never for a `permanent` child. */
  readonly significant?: boolean;
};

/** Sessions, and groups of them, that stand or fall together. */
export interface GroupOptions {
  /** Default: made up. Unique among the groups of the supervisor. */
  readonly id?: string;
  /** Who is restarted with a child that failed. Default `one_for_one`. */
  readonly strategy?: Strategy;
  /** More restarts than this within `periodMs`, of all children together, give up. Default: that of the supervisor, 3. */
  readonly intensity?: number;
  /** Milliseconds. Default: that of the supervisor, 60 000. */
  readonly periodMs?: number;
  /** The wait before a restart grows with the restarts within `periodMs`. Default: that of the supervisor. */
  readonly backoff?: NonNullable<RestartOptions['backoff']>;
  /** Whether the group ends when `significant` children end by themselves. Default `never`. */
  readonly autoShutdown?: AutoShutdown;
  /** As a child of another group: when it is restarted there (`type` alone), and whether its end may end that group. */
  readonly restart?: { readonly type?: RestartType };
  readonly significant?: boolean;
  /** In order of start; stopped in reverse. */
  readonly children: readonly (SessionChildOptions | GroupOptions)[];
}

export interface SessionChild {
  readonly kind: 'session';
  readonly id: string | undefined;
  readonly restart: RestartType;
  readonly significant: boolean;
  readonly options: SessionOptions;
}

export interface GroupChild {
  readonly kind: 'group';
  readonly id: string | undefined;
  readonly restart: RestartType;
  readonly significant: boolean;
  readonly strategy: Strategy;
  readonly intensity: number;
  readonly periodMs: number;
  readonly backoff: typeof DEFAULT_RESTART.backoff;
  readonly autoShutdown: AutoShutdown;
  readonly children: readonly (SessionChild | GroupChild)[];
}

const MOST_CHILDREN = 1_000;
const MOST_LEVELS = 8;
/** What a start takes and a member of a group cannot have: its group starts and counts it. */
const NOT_FOR_MEMBERS = ['autoStart', 'signal', 'abortController'] as const;

const Shape = {
  id: FilledText.exactOptional(),
  strategy: z.enum(['one_for_one', 'one_for_all', 'rest_for_one']).exactOptional(),
  intensity: RestartShape.intensity,
  periodMs: RestartShape.periodMs,
  backoff: RestartShape.backoff,
  autoShutdown: z.enum(['never', 'any_significant', 'all_significant']).exactOptional(),
  restart: z.strictObject({ type: RestartShape.type }).exactOptional(),
  significant: z.boolean().exactOptional(),
  children: z.array(z.unknown()).max(MOST_CHILDREN, `must not hold more than ${MOST_CHILDREN}`),
};

const GroupOptionsSchema = z.strictObject(Shape);
const GROUP_OPTION_NAMES = { '': Object.keys(Shape), backoff: Object.keys(BackoffShape), restart: ['type'] };

/** What the supervisor of a group says for all of its sessions and groups. */
export interface GroupSetting {
  /** The options of a session with those of the supervisor. */
  readonly inherit: (own: object) => object;
  readonly restart: typeof DEFAULT_RESTART;
}

/** Checks a group with everything in it. Throws INVALID_OPTIONS with the place of the fault, such as `children[1].model`. */
export function parseGroupOptions(input: unknown, setting: GroupSetting): GroupChild {
  return parseGroup(input, [], setting, 1);
}

/** One child that is to be added to a group with this rule. Throws INVALID_OPTIONS. */
export function parseGroupMember(
  input: unknown,
  autoShutdown: AutoShutdown,
  setting: GroupSetting,
): SessionChild | GroupChild {
  return parseMember(input, [], autoShutdown, setting, 2);
}

function parseGroup(input: unknown, place: readonly PropertyKey[], setting: GroupSetting, level: number): GroupChild {
  if (level > MOST_LEVELS) throw invalid(place, `groups may stand ${MOST_LEVELS} deep in each other`);
  const parsed = GroupOptionsSchema.safeParse(given(input));
  if (!parsed.success) throw placed(place, () => raise(invalidOptions(issuesOf(parsed.error, GROUP_OPTION_NAMES))));
  const { children, backoff, restart, autoShutdown = 'never', ...own } = parsed.data;
  return {
    kind: 'group',
    id: own.id,
    strategy: own.strategy ?? 'one_for_one',
    intensity: own.intensity ?? setting.restart.intensity,
    periodMs: own.periodMs ?? setting.restart.periodMs,
    restart: restart?.type ?? setting.restart.type,
    significant: own.significant === true,
    backoff: { ...setting.restart.backoff, ...backoff },
    autoShutdown,
    children: children.map((child, index) =>
      parseMember(child, [...place, 'children', index], autoShutdown, setting, level + 1),
    ),
  };
}

function parseMember(
  input: unknown,
  place: readonly PropertyKey[],
  autoShutdown: AutoShutdown,
  setting: GroupSetting,
  level: number,
): SessionChild | GroupChild {
  const value = given(input);
  if (!isObject(value)) throw invalid(place, 'expected the options of a session or of a group');
  const child = 'children' in value ? parseGroup(value, place, setting, level) : parseSession(value, place, setting);
  // OTP refuses both: the first would never end by itself, the second would ask nobody.
  const isPointless = child.significant && (child.restart === 'permanent' || autoShutdown === 'never');
  if (!isPointless) return child;
  const reason = child.restart === 'permanent' ? 'a permanent child never ends by itself' : 'autoShutdown is "never"';
  throw invalid([...place, 'significant'], reason);
}

function parseSession(
  value: Record<string, unknown>,
  place: readonly PropertyKey[],
  setting: GroupSetting,
): SessionChild {
  const { significant = false, ...own } = value;
  if (typeof significant !== 'boolean') throw invalid([...place, 'significant'], 'expected boolean');
  for (const name of NOT_FOR_MEMBERS) {
    if (own[name] !== undefined) throw invalid([...place, name], 'a member is started by its group');
  }
  const { restart = {} } = own;
  const counted = isObject(restart) ? Object.keys(restart).find((name) => name !== 'type') : undefined;
  if (counted !== undefined)
    throw invalid([...place, 'restart', counted], 'the group counts the restarts of its members');
  const options = placed(place, () => parseSessionOptions(setting.inherit(own)));
  const { type = setting.restart.type } = options.restart ?? {};
  return { kind: 'session', id: options.id, restart: type, significant, options };
}

/** The ids that were chosen for sessions, over all levels. */
export function memberIdsIn(child: SessionChild | GroupChild): string[] {
  if (child.kind === 'group') return child.children.flatMap(memberIdsIn);
  return child.id === undefined ? [] : [child.id];
}

/** The same error, with the place of the member before each field. */
function placed<T>(place: readonly PropertyKey[], run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== 'INVALID_OPTIONS' || place.length === 0) throw error;
    const issues = (error.details['issues'] ?? []) as readonly OptionIssue[];
    const at = fieldName(place);
    throw invalidOptions(issues.map(({ field, reason }) => ({ field: field === '' ? at : `${at}.${field}`, reason })));
  }
}

function raise(error: unknown): never {
  throw error;
}

function invalid(place: readonly PropertyKey[], reason: string): TroupeError {
  return invalidOptions([{ field: place.length === 0 ? 'options' : fieldName(place), reason }]);
}

/** What is undefined counts as not given. */
function given(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
