/** The prefix of every route of the REST interface. */
export const restPrefix = '/api/v1';

/** The path at which monitors check whether the service is running. */
export const healthAddress = `${restPrefix}/health`;

// Relative to the service, so that a URL in a text is valid under every address of the service.

export const fileAddress = (fileId: string): string => `${restPrefix}/files/${fileId}`;

/** The path of an artifact as a page. */
export const renderAddress = (artifactId: string): string => `${restPrefix}/artifacts/${artifactId}/render`;

/** The path at which holders of a share link read its resource as Markdown. */
export const sharedTextAddress = (token: string): string => `${restPrefix}/share/${token}.md`;

/** The path at which holders of a share link read a file of its resource. */
export const sharedFileAddress = (token: string, fileId: string): string =>
  `${restPrefix}/share/${token}/files/${fileId}`;

/** The path at which holders of a share link to a prototype read one of its screens. */
export const sharedScreenAddress = (token: string, artifactId: string): string => `/s/${token}/screens/${artifactId}`;

/** The path at which holders of a share link read its resource in a browser, or a document that is linked to it. */
export const sharedPageAddress = (token: string, documentId?: string): string =>
  `/s/${token}${documentId === undefined ? '' : `?document=${encodeURIComponent(documentId)}`}`;

const filePath = new RegExp(`^${fileAddress('([A-Za-z0-9_-]{1,64})')}$`);

/** The id of the file that a path addresses; undefined for any other path. */
export const fileIdAt = (path: string): string | undefined => filePath.exec(path)?.[1];
