/** A page that nobody sees has no frames; it is shown so often all the same, for its title and for those who look again. */
const UNSEEN_MS = 500;

/** Calls it once for all calls within one frame. */
export function perFrame(show: () => void): () => void {
  let isAsked = false;
  const run = () => {
    isAsked = false;
    show();
  };
  return () => {
    if (isAsked) return;
    isAsked = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(run);
    else setTimeout(run, UNSEEN_MS);
  };
}
