import { walkAt } from './suite.ts';

walkAt('gemini', 10, 6);
