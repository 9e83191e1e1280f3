/** Every limit of the service in one place, unit last in the name. Documented in decisions 1, spec "Limits". */
export const limits = {
  /** Names, labels and titles. */
  nameCharactersMax: 500,
  /** Markdown and HTML bodies. */
  bodyBytesMax: 2 * 1024 * 1024,
  tagsPerTaskMax: 50,
  commitRefsMax: 50,
  /** Any array in a request. */
  arrayItemsMax: 10_000,
  requestBytesMax: 16 * 1024 * 1024,
  /** Content of an uploaded file. */
  uploadBytesMax: 10_000_000,
  /** An export that comes as a file. */
  importBytesMax: 4 * 1024 * 1024 * 1024,
  /** Of it all but the contents of files: that is held in memory until the project is made. */
  importRecordsBytesMax: 256 * 1024 * 1024,
  listLimitMax: 1000,
  /** Rows of a list answered to an agent that names no limit. */
  agentListRows: 100,
  /** An agent's list answer ends before it grows over this: about 10,000 tokens. */
  agentAnswerBytesMax: 36_000,
  violationsMax: 20,
  viewConfigBytesMax: 64 * 1024,
  /** Longer Markdown in a comment is kept as preformatted text: the time to render it may grow with the square of its length. */
  renderedMarkdownBytesMax: 32 * 1024,
  /** A comment as HTML: escaping makes a text longer. */
  commentHtmlBytesMax: 4 * 1024 * 1024,
  commentAnchorBytesMax: 16 * 1024,
  /** Longer Markdown of an artifact is shown as preformatted text. */
  renderedArtifactBytesMax: 512 * 1024,
  /** Images that stand in one rendered artifact, together; what is over is not shown. */
  renderedImagesBytesMax: 16 * 1024 * 1024,
  /** Elements in each other, in a comment. */
  htmlDepthMax: 100,
  runEventsMax: 10_000,
  /** Messages of one run together: a run is one file. */
  runMessagesBytesMax: 2 * 1024 * 1024,
  blockedRowsMax: 20,
  shareLinkHoursDefault: 24,
  shareLinkHoursMax: 30 * 24,
  /** An ended link answers that it has ended; after that it is unknown. */
  endedLinkDays: 365,
  /** Of one link and address. */
  guestSubmissionsPerMinuteMax: 10,
  guestRequestBytesMax: 256 * 1024,
  guestBodyBytesMax: 64 * 1024,
  /** Guests are asked to wait while so many submissions await triage. */
  pendingSubmissionsMax: 1000,
  idempotencyHours: 24,
  /** Front matter of a record file that a person wrote. */
  frontMatterBytesMax: 64 * 1024,
  /** Front matter in the form in which the service writes it: thousands of links on one task, long contract fields of a goal. */
  canonicalFrontMatterBytesMax: 4 * 1024 * 1024,
  frontMatterKeysMax: 200,
  /** A larger record file is listed and not read: a repository of a megabyte can hold a file of a gigabyte. */
  recordFileBytesMax: 32 * 1024 * 1024,
  /** The service begins another segment of history long before; one of a repository is read up to this. */
  historySegmentBytesMax: 128 * 1024 * 1024,
  /** config.json and its like. */
  settingsFileBytesMax: 4 * 1024 * 1024,
  /** Texts above this are not held in the index but read when asked for. */
  residentTextBytesMax: 64 * 1024,
  fileNameBytesMax: 120,
  /** Folders in each other: their directories' path has to fit into what systems take for one. */
  folderDepthMax: 30,
  sessionsMax: 20_000,
  sessionIdleHours: 24,
  /** A browser's sign-in that is not used so long is over. */
  signInIdleHours: 12,
  /** From the way to the identity provider until the way back. */
  signInMinutesMax: 10,
  /** Of one address, where the service is hosted. */
  failedCredentialsPerMinuteMax: 20,
  /** Of one address. */
  signInsPerMinuteMax: 30,
  searchHitsDefault: 10,
  /** Texts that one search reads. */
  searchTextCharactersMax: 64 * 1024 * 1024,
} as const;
