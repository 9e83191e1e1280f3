import { nodeAdvice } from '../../src/platform/node-version.ts';

const advice = nodeAdvice();

/** What `planner doctor` prints if there are no problems: also what the Node that runs the tests lacks. */
export const noProblems = `No problems.\n${advice === undefined ? '' : `Note: ${process.execPath}: node_version: ${advice}\n`}`;
