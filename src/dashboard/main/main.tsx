import { render } from 'preact';
import '../theme/theme.css';

const page = document.getElementById('page');
if (page !== null) render(<main>Troupe</main>, page);
