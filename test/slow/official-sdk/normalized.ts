const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Made up by the CLI for each configuration folder, and told to the API. */
const DEVICE = /(?<="device_id":")[0-9a-f]{64}/g;
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Durations and moments: whether they are there is compared, not what they are. */
const DURATION = /(_ms|Ms|_seconds)$/;

/**
 * The value without what differs between two runs of the same program: the random folder, uuids (numbered by their first
 * appearance, so that who names whom is still compared), moments, durations, the id
 * of the device, and the pid in the name of a socket.
 */
export function normalized<T>(value: T, folder: string): T {
  const numbers = new Map<string, string>();
  const numberOf = (uuid: string): string => {
    const known = numbers.get(uuid) ?? `uuid-${numbers.size + 1}`;
    numbers.set(uuid, known);
    return known;
  };
  const text = (content: string): string =>
    content
      .replaceAll(folder, 'FOLDER')
      .replace(UUID, numberOf)
      .replace(MOMENT, 'MOMENT')
      .replace(DEVICE, 'DEVICE')
      .replace(/cc-socks\/\d+\.sock/g, 'cc-socks/PID.sock');
  const walk = (part: unknown, name: string): unknown => {
    if (typeof part === 'string') return text(part);
    if (typeof part === 'number') return DURATION.test(name) ? 'DURATION' : part;
    if (Array.isArray(part)) return part.map((item) => walk(item, name));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [text(key), walk(item, key)]));
  };
  // The walk keeps the shape.
  return walk(value, '') as T;
}
