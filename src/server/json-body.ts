import { TroupeError } from '../errors.ts';
import type { App } from './app.ts';

/** Bodies are JSON and nothing else; keys that reach into prototypes are refused, and so is what nests too deeply. */
export function takeJsonBodies(app: App, maxDepth: number): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = typeof body === 'string' ? body : body.toString('utf8');
    // A command without a body is often sent as an empty one.
    if (text === '') return done(null, undefined);
    if (isDeeper(text, maxDepth))
      return done(
        new TroupeError('REQUEST_INVALID', { reason: `The body nests deeper than ${maxDepth} levels.` }),
        undefined,
      );
    return parse(request, text, done);
  });
}

/** Counted before anything recurses into it. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
