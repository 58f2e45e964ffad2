import { render } from 'preact';
import '../theme/theme.css';
import '../frame/frame.css';
import '../fleet/fleet.css';
import '../session/session.css';
import '../chart/chart.css';
import '../transcript/transcript.css';
import '../inbox/inbox.css';
import '../timeline/timeline.css';
import '../tree/tree.css';
import { runClock } from '../frame/now.ts';
import { applyAppearance } from '../theme/appearance.ts';
import { App } from './app.tsx';
import { followAddress } from './page.ts';
import { serverSource } from './server-source.ts';

applyAppearance();
runClock();
followAddress();

const page = document.getElementById('page');
if (page !== null) render(<App source={serverSource()} />, page);
