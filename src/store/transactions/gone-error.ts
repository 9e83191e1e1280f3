/** A project is not known, as of changes that may be taken back. */
export class GoneError extends Error {
  constructor(project: string) {
    super(`There is no project ${project} at the moment.`);
  }
}

/** Handles the rejection of a call that uses a project, for which it makes no difference that it is gone. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof GoneError)) throw error;
}
