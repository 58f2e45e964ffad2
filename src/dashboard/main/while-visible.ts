/** A page that can be seen, or cannot: the document. */
interface SeenPage extends Pick<EventTarget, 'addEventListener' | 'removeEventListener'> {
  readonly hidden: boolean;
}

/**
 * Follows while the page can be seen, and goes on when it can be seen again. A browser has six connections to a server
 * that speaks HTTP/1.1, and each stream holds one: tabs that nobody looks at would keep the others from working.
 */
export function whileVisible(page: SeenPage, follow: () => () => unknown): () => void {
  let stop: (() => unknown) | undefined;
  const look = () => {
    if (!page.hidden) stop ??= follow();
    else {
      stop?.();
      stop = undefined;
    }
  };
  page.addEventListener('visibilitychange', look);
  look();
  return () => {
    page.removeEventListener('visibilitychange', look);
    stop?.();
    stop = undefined;
  };
}
