import { killWith } from './suite.ts';

killWith(1, 9);
