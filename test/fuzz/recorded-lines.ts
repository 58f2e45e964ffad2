import { CORPUS, isThere, readRecording, SURVEY, scenariosOf } from '../wire/recordings.ts';

/** What CLIs of all releases wrote, as lines; those of the survey too, where it lies beside the project. */
export function recordedLines(): string[] {
  const lines = new Map<string, string>();
  for (const folder of [CORPUS, SURVEY].filter(isThere)) {
    for (const files of scenariosOf(folder).values()) {
      for (const file of files) {
        for (const { direction, message } of readRecording(file)) {
          if (direction !== '<') continue;
          const line = typeof message === 'string' ? message : JSON.stringify(message);
          if (line.length < 8_000) lines.set(shapeOf(message), line);
        }
      }
    }
  }
  return [...lines.values()];
}

/** Recorded scenarios as they went over the pipe, each cut after so many lines. */
export function recordedStreams(mostLines = 12): Buffer[] {
  const lines = recordedLines();
  const streams: Buffer[] = [];
  for (let at = 0; at < lines.length; at += mostLines) {
    streams.push(Buffer.from(`${lines.slice(at, at + mostLines).join('\n')}\n`));
  }
  return streams;
}

/** Of messages with the same fields one is enough. */
function shapeOf(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  if (Array.isArray(value)) return `[${value.slice(0, 2).map((one) => shapeOf(one, depth + 1))}]`;
  const names = Object.entries(value).map(([name, one]) => {
    const word = ['type', 'subtype'].includes(name) ? String(one) : shapeOf(one, depth + 1);
    return `${name}:${word}`;
  });
  return depth > 3 ? '{}' : `{${names}}`;
}
