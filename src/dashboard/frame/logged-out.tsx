export function LoggedOut() {
  return (
    <section class="empty">
      <h1>You are not logged in</h1>
      <p>
        Open the address that <code>troupe serve</code> printed when it started: it carries a token that works once, and
        this browser is known from then on.
      </p>
      <p class="muted">
        It is gone from the terminal? Start the server again, or read the token from the file that it names.
      </p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </section>
  );
}
