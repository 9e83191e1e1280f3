import type { Answer } from '../../api/client.ts';

/** An artifact with its content. */
export type Artifact = Answer<'get_artifact'>;
