import { nodeAdvice } from '../../src/platform/node-version.ts';

const advice = nodeAdvice();

/** The output of `planner doctor` without problems, including the note on the Node that runs the tests. */
export const noProblems = `No problems.\n${advice === undefined ? '' : `Note: ${process.execPath}: node_version: ${advice}\n`}`;
