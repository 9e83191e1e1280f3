/** `@planner-app/planner/client`: the programmatic client. */
export { PlannerClient } from './planner-client.ts';
export type { CallOptions, PlannerClientOptions, ToolDescription, ToolName } from './planner-client.ts';
export { errorCodes, PlannerError } from '../base/errors.ts';
export type { ErrorBody, ErrorCode } from '../base/errors.ts';
export type * from '../schema/types.ts';
