import { FleetPage } from '../fleet/fleet-page.tsx';
import { Frame } from '../frame/frame.tsx';
import { InboxPage } from '../inbox/inbox-page.tsx';
import { SessionPage } from '../session/session-page.tsx';
import { TreePage } from '../tree/tree-page.tsx';
import { route, SourceContext } from './page.ts';
import { addressOf } from './route.ts';
import type { Source } from './source.ts';

export function App({ source }: { readonly source: Source }) {
  return (
    <SourceContext.Provider value={source}>
      <Frame>
        <Page />
      </Frame>
    </SourceContext.Provider>
  );
}

function Page() {
  const { value } = route;
  if (value.page === 'fleet') return <FleetPage />;
  if (value.page === 'session') return <SessionPage key={value.id} id={value.id} />;
  if (value.page === 'inbox') return <InboxPage />;
  if (value.page === 'tree') return <TreePage />;
  return (
    <section class="empty">
      <h1>There is no such page</h1>
      <a href={addressOf({ page: 'fleet' })}>To the fleet</a>
    </section>
  );
}
