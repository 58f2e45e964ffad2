import { useSignal } from '@preact/signals';

/** How to get in, for a browser that the server does not know. */
export function LoggedOut() {
  const trouble = useSignal('');
  const logIn = async (token: string) => {
    const answer = await fetch('login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    }).catch(() => undefined);
    if (answer?.ok === true) return location.reload();
    trouble.value = answer === undefined ? 'The server does not answer.' : 'The server does not know this token.';
  };
  return (
    <section class="empty">
      <h1>You are not logged in</h1>
      <p>
        Open the address that <code>troupe serve</code> printed when it started: it works once, and this browser is
        known from then on. Or give a token, from the file that it named.
      </p>
      <form
        class="log-in"
        onSubmit={(event) => {
          event.preventDefault();
          void logIn(String(new FormData(event.currentTarget).get('token') ?? '').trim());
        }}
      >
        <input name="token" type="password" aria-label="Token" autocomplete="off" required />
        <button type="submit" class="primary">
          Log in
        </button>
      </form>
      <p class="bad" role="alert">
        {trouble.value}
      </p>
    </section>
  );
}
