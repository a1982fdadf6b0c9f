import { render } from 'preact';
import './styles/index.css';
import { keepTheme } from './frame/theme.ts';

keepTheme();
const root = document.querySelector('#app');
if (root) render(<p>Postroom</p>, root);
