/** The prefix of every route of the REST interface. */
export const restPrefix = '/api/v1';

/** Where monitors learn whether the service serves. */
export const healthAddress = `${restPrefix}/health`;

// Relative to the service, so that an address in a text is right under every address of the service.

export const fileAddress = (fileId: string): string => `${restPrefix}/files/${fileId}`;

/** Where an artifact is shown as a page. */
export const renderAddress = (artifactId: string): string => `${restPrefix}/artifacts/${artifactId}/render`;

/** Where the holders of a share link read its resource as Markdown. */
export const sharedTextAddress = (token: string): string => `${restPrefix}/share/${token}.md`;

/** Where the holders of a share link read a file that its resource shows. */
export const sharedFileAddress = (token: string, fileId: string): string =>
  `${restPrefix}/share/${token}/files/${fileId}`;

/** Where the holders of a share link to a prototype see one of its screens. */
export const sharedScreenAddress = (token: string, artifactId: string): string => `/s/${token}/screens/${artifactId}`;

const filePath = new RegExp(`^${fileAddress('([A-Za-z0-9_-]{1,64})')}$`);

/** The id of the file that a path addresses; undefined for any other path. */
export const fileIdAt = (path: string): string | undefined => filePath.exec(path)?.[1];
