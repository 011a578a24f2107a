import { killWith } from './suite.ts';

killWith(2, 10);
