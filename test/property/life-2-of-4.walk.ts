import { liveRandomPrograms } from './random-lives.ts';

liveRandomPrograms(2, 4);
