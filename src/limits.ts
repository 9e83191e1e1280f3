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
  /** Members of one object in a request. */
  objectMembersMax: 10_000,
  /** Objects, arrays and what is in them, in one JSON body: a canvas of 10,000 nodes and 10,000 edges has a quarter of it. */
  bodyValuesMax: 1_000_000,
  /** Bodies of one credential that arrive at the same time, as announced. */
  bodiesOfOneBytesMax: 64 * 1024 * 1024,
  /** Bodies of all callers that arrive at the same time. */
  bodiesBytesMax: 192 * 1024 * 1024,
  /** Pipelined input that waits until the response before it is sent, on all connections. */
  heldInputBytesMax: 64 * 1024 * 1024,
  /** Responses that their readers have not taken yet, of one network address. A single larger one is sent all the same. */
  unsentPeerBytesMax: 64 * 1024 * 1024,
  /** The same of all together: beyond it the largest unread ones are cut off. */
  unsentBytesMax: 128 * 1024 * 1024,
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
  /** A larger file of a view is listed and not read: a config of the size above takes less, however it is indented. */
  viewFileBytesMax: 5 * 1024 * 1024,
  /** What one agent key writes in 24 hours: far above what work takes, far below what fills a disk overnight. */
  agentBytesPerDayMax: 1024 * 1024 * 1024,
  /** What a project holds, history included, before agents and guests add nothing more: far above plans, far below the disks that plans are on. */
  projectBytesMax: 8 * 1024 * 1024 * 1024,
  /** Of the disk so much is the owner's alone: with less free, agents and guests write nothing. */
  ownerReserveBytes: 256 * 1024 * 1024,
  /** On a small disk the reserve is this share of it. */
  ownerReserveShare: 0.05,
  /** Longer Markdown in a comment is kept as preformatted text: the time to render it may grow with the square of its length. */
  renderedMarkdownBytesMax: 32 * 1024,
  /** A comment as HTML: escaping makes a text longer. */
  commentHtmlBytesMax: 4 * 1024 * 1024,
  commentAnchorBytesMax: 16 * 1024,
  /** Longer Markdown of an artifact is shown as preformatted text. */
  renderedArtifactBytesMax: 512 * 1024,
  /** Longer Markdown of a share page is shown as preformatted text: a second of work for the renderer. */
  renderedPageBytesMax: 512 * 1024,
  /** A longer text is rendered in a thread of its own: in the worst case this one takes milliseconds. */
  inlineTextCharactersMax: 1000,
  /** Texts of one call that are rendered in the thread that serves requests, together. */
  inlineTextsCharactersMax: 4000,
  /** Of the processor, for one text; then it is shown as preformatted text. */
  renderMs: 2000,
  /** Waiting included: for a machine that has no time for the thread. */
  renderWaitMs: 20_000,
  /** How long a text that took too long is not tried again. */
  renderRetryMs: 60_000,
  /** Texts that wait to be rendered. */
  rendersQueuedMax: 200,
  /** Rendered texts that are kept. */
  renderCacheBytesMax: 32 * 1024 * 1024,
  /** Of the heap of a thread that renders. */
  renderHeapMebibytesMax: 512,
  /** A thread without work is ended. */
  renderIdleMs: 30_000,
  /** Files and screens that the URLs of one rendered text may name. */
  namedByUrlsMax: 10_000,
  /** Images that stand in one rendered artifact, together; what is over is not shown. */
  renderedImagesBytesMax: 16 * 1024 * 1024,
  /** Elements in each other, in a comment. */
  htmlDepthMax: 100,
  /** `<`, `>` and `&` of a text in HTML; one with more is shown as preformatted text: sanitising takes microseconds for each. */
  htmlMarksMax: 100_000,
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
  /** A smaller step back of the system's clock is waited out, so that records keep the order of making; a larger one is followed. */
  clockStepBackSecondsMax: 60,
  /** A larger answer is not kept for repeats but rebuilt from the record. */
  idempotencyAnswerBytesMax: 64 * 1024,
  /** Kept answers of one credential together; beyond it the oldest are rebuilt too. */
  idempotencyAnswersPerCredentialBytesMax: 8 * 1024 * 1024,
  idempotencyAnswersBytesMax: 64 * 1024 * 1024,
  /** Keys of one credential; beyond it the oldest are forgotten before 24 hours are over. One costs about 700 bytes of memory. */
  idempotencyKeysPerCredentialMax: 100_000,
  idempotencyKeysMax: 250_000,
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
  /** Of all credentials. */
  sessionsMax: 20_000,
  /** Of one credential, ended ones included; one more evicts its own longest idle one. */
  sessionsPerCredentialMax: 1_000,
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
  /** Work in slices holds the event loop for so long in one turn, all of it together: callers of small answers wait as long. */
  turnBudgetMs: 5,
  /** A call that comes later in a turn waits for another one: many that come together do not hold the event loop together. */
  turnMsMax: 25,
  /** What holds the event loop for longer is logged with its operation. */
  slowSliceMs: 50,
  /** The heap grows by this share of what is alive until it is collected: a smaller one costs more of the processor. */
  heapGrowthPercent: 30,
  /** Of the thread that serves: half of it is in use at a time. A smaller one promotes what is garbage a moment later. */
  youngGenerationBytesMax: 32 * 1024 * 1024,
  /** Of the thread that writes files, which keeps nothing for long. */
  writerYoungGenerationMebibytesMax: 12,
} as const;
