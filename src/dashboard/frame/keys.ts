/** Whether a key belongs to what somebody writes, or to the browser, and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName) || target.closest('dialog') !== null
  );
}
