import type { Answer } from '../../rest/client.ts';

/** An artifact with its content. */
export type Artifact = Answer<'get_artifact'>;
