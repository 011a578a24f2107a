import { walkAt } from './suite.ts';

walkAt('openai', 0, 6);
