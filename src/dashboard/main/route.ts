/** What the part of the address behind `#` shows. */
export type Route =
  | { readonly page: 'fleet' }
  | { readonly page: 'session'; readonly id: string }
  | { readonly page: 'inbox' }
  | { readonly page: 'tree' }
  | { readonly page: 'unknown' };

/** Reads `#/`, `#/sessions/:id`, `#/inbox` and `#/tree`. What is none of these is `unknown`, never an error. */
export function routeOf(hash: string): Route {
  const [first = '', second, ...more] = hash.replace(/^#?\/?/, '').split('/');
  if (first === '' && second === undefined) return { page: 'fleet' };
  if (first === 'sessions' && second !== undefined && second !== '' && more.length === 0) {
    const id = decoded(second);
    return id === undefined ? { page: 'unknown' } : { page: 'session', id };
  }
  if ((first === 'inbox' || first === 'tree') && second === undefined) return { page: first };
  return { page: 'unknown' };
}

export function addressOf(route: Exclude<Route, { page: 'unknown' }>): string {
  if (route.page === 'fleet') return '#/';
  return route.page === 'session' ? `#/sessions/${encodeURIComponent(route.id)}` : `#/${route.page}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
