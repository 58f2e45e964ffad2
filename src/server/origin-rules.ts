import type { IncomingHttpHeaders } from 'node:http';
import { TroupeError } from '../errors.ts';

export interface OriginRules {
  /** Host names it answers for, without a port or with one. */
  readonly hosts: readonly string[];
  /** Of pages elsewhere that may use it. */
  readonly origins: readonly string[];
  /** The scheme of its own pages. */
  readonly scheme: 'http' | 'https';
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses a name that is not the server's: a page elsewhere that has its own name led here could read everything. Throws
 * HOST_REFUSED.
 */
export function assertHost(headers: IncomingHttpHeaders, { hosts }: OriginRules): void {
  const host = hostOf(headers.host);
  const isOurs = host !== undefined && hosts.some((one) => same(one, host.host) || same(one, host.hostname));
  if (!isOurs) throw new TroupeError('HOST_REFUSED', { reason: 'Name it in allowedHosts if it is yours.' });
}

/**
 * Refuses what a page of another origin sends, whatever it asks for. Without the header Origin it is no page, or a page that
 * reads; then what the browser says of the site decides. Throws ORIGIN_REFUSED.
 */
export function assertOrigin(headers: IncomingHttpHeaders, rules: OriginRules): void {
  const { origin } = headers;
  if (origin !== undefined) {
    if (!isOwnOrigin(origin, headers.host, rules)) throw new TroupeError('ORIGIN_REFUSED');
    return;
  }
  const site = headers['sec-fetch-site'];
  // A link that was typed or followed is a page load; what a foreign page embeds is not.
  const isPageLoad = headers['sec-fetch-mode'] === 'navigate';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isPageLoad)
    throw new TroupeError('ORIGIN_REFUSED');
}

/**
 * A change that a browser sends with its cookie must say that it comes from a page of ours: other ports of this host are the
 * same site, so `SameSite` does not keep them out. Throws ORIGIN_REFUSED.
 */
export function assertOwnPage(headers: IncomingHttpHeaders): void {
  // An Origin that is there has been found to be ours.
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new TroupeError('ORIGIN_REFUSED', { reason: 'A cookie alone changes nothing: the header Origin is missing.' });
}

function isOwnOrigin(origin: string, host: string | undefined, { origins, scheme }: OriginRules): boolean {
  if (origins.some((one) => same(one, origin))) return true;
  const own = hostOf(host);
  return own !== undefined && same(origin, `${scheme}://${own.host}`);
}

function hostOf(header: string | undefined): { readonly host: string; readonly hostname: string } | undefined {
  if (header === undefined || !/^[A-Za-z0-9.[\]:-]{1,300}$/.test(header)) return undefined;
  try {
    const { host, hostname } = new URL(`http://${header}`);
    return { host, hostname };
  } catch {
    return undefined;
  }
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
