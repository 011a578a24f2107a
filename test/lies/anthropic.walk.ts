import { walkAt } from './suite.ts';

walkAt('anthropic', 5, 6);
