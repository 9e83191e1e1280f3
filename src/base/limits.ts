/** All limits of the service, unit last in the name. Documented in decisions 1, spec "Limits". */
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
  /** Members of all objects in one JSON body. A canvas of 10,000 nodes and 10,000 edges, each with all of its members, has fewer. */
  bodyMembersMax: 200_000,
  /** The name of a member, as it is sent. */
  memberNameBytesMax: 1024,
  /** Values in one JSON body, nested ones included. A canvas of 10,000 nodes and 10,000 edges has a quarter of it. */
  bodyValuesMax: 1_000_000,
  /** A longer JSON body is not searched for the place of a syntax error or of a duplicate member. */
  searchedBodyCharactersMax: 1024 * 1024,
  /** Bodies in flight of one credential, by announced length. */
  bodiesOfOneBytesMax: 64 * 1024 * 1024,
  /** Bodies in flight of all callers, by received bytes. */
  bodiesBytesMax: 192 * 1024 * 1024,
  /** Pipelined input that waits for the preceding response, on all connections. */
  heldInputBytesMax: 64 * 1024 * 1024,
  /** Buffered responses to one network address that the client has not read. A single larger one is sent anyway. */
  unsentPeerBytesMax: 64 * 1024 * 1024,
  /** The limit for all clients together; above it the largest unread responses are aborted. */
  unsentBytesMax: 128 * 1024 * 1024,
  /** Content of an uploaded file. */
  uploadBytesMax: 10_000_000,
  /** An uploaded export. */
  importBytesMax: 4 * 1024 * 1024 * 1024,
  /** The records of an export, without file contents: they are in memory until the project is created. */
  importRecordsBytesMax: 256 * 1024 * 1024,
  /** Files of a plan that is imported as a directory. */
  importFilesMax: 20_000,
  /** Records and edges of another tool's plan. The work that has to happen in one turn takes 0.5 to 1.5 µs for each. */
  importRecordsMax: 50_000,
  /** Another tool's plan, imported by an agent. */
  agentImportBytesMax: 32 * 1024 * 1024,
  /** Its records and edges. */
  agentImportRecordsMax: 20_000,
  /** Bytes of all plans that are being imported, in memory. */
  importsBytesMax: 512 * 1024 * 1024,
  /** Imports of other tools' plans by one credential: one is read, and one waits. */
  importsOfOneMax: 2,
  /** The limit for all callers. */
  importsMax: 64,
  /** The parts of an imported JSON Canvas without a field in Planner, as JSON: one record has all of it. */
  canvasKeptCharactersMax: 256 * 1024,
  /** Reading another tool's plan in a thread, and the memory for it. One plan is read at a time. */
  importReadMs: 120_000,
  importHeapMebibytesMax: 2048,
  /** The limit for an agent's plan. */
  agentImportReadMs: 20_000,
  agentImportHeapMebibytesMax: 512,
  /** Young generation of that thread. */
  importYoungMebibytesMax: 12,
  listLimitMax: 1000,
  /** Default page size of lists for agents. */
  agentListRows: 100,
  /** Maximum size of a list page for agents: about 10,000 tokens. */
  agentAnswerBytesMax: 36_000,
  /** Maximum size of a list within an answer for agents that has no pages. */
  agentEmbeddedListBytesMax: 16_000,
  /** The share of an answer for agents that long texts keep next to lists that fill it. */
  agentTextsBytesMin: 4000,
  /** Longer texts are left out of answers to changes of agents, unless they ask for them. */
  agentShortTextCharacters: 1000,
  /** Resources that one session, or one request to listen, subscribes to over MCP. */
  watchedResourcesMax: 100,
  /** The limit for all sessions and streams of one credential. */
  watchedResourcesPerCredentialMax: 1000,
  /** Further changes of watched resources are reported together after this time. */
  resourceUpdatesMs: 100,
  /** Questions over MCP that wait for a person, of one session. */
  questionsPerSessionMax: 16,
  /** How long such a question waits. */
  questionMinutesMax: 30,
  /** Characters of a resource that one read over MCP returns. */
  resourceCharactersMax: 100_000,
  violationsMax: 20,
  viewConfigBytesMax: 64 * 1024,
  /** Larger view files are reported as a problem and not read. A config of the size above is smaller with any indentation. */
  viewFileBytesMax: 5 * 1024 * 1024,
  /** Bytes that one agent key may write in 24 hours: far above normal work, far too little to fill a disk overnight. */
  agentBytesPerDayMax: 1024 * 1024 * 1024,
  /** Size of a project, history included, above which agents and guests cannot add to it: far above plans, far below common disks. */
  projectBytesMax: 8 * 1024 * 1024 * 1024,
  /** Disk space reserved for the owner: with less free, writes of agents and guests are rejected. */
  ownerReserveBytes: 256 * 1024 * 1024,
  /** On a small disk the reserve is this share of it. */
  ownerReserveShare: 0.05,
  /** Longer Markdown in a comment is stored as preformatted text: rendering time can grow with the square of its length. */
  renderedMarkdownBytesMax: 32 * 1024,
  /** A comment as HTML: escaping makes a text longer. */
  commentHtmlBytesMax: 4 * 1024 * 1024,
  commentAnchorBytesMax: 16 * 1024,
  /** Longer Markdown of an artifact is shown as preformatted text. */
  renderedArtifactBytesMax: 512 * 1024,
  /** Longer Markdown of a share page is shown as preformatted text: this length takes a second to render. */
  renderedPageBytesMax: 512 * 1024,
  /** Longer texts are rendered in a worker thread. This length takes milliseconds in the worst case. */
  inlineTextCharactersMax: 1000,
  /** Total length of the texts of one call that are rendered in the main thread. */
  inlineTextsCharactersMax: 4000,
  /** CPU time for one text; after that it is shown as preformatted text. */
  renderMs: 2000,
  /** The interval at which the CPU time of a rendering thread is compared with `renderMs`. */
  renderCheckMs: 100,
  /** The limit as wall-clock time, for machines that do not schedule the worker thread. */
  renderWaitMs: 20_000,
  /** A text that exceeded its time is not retried for this long. */
  renderRetryMs: 60_000,
  /** Length of the render queue. */
  rendersQueuedMax: 200,
  /** Cache of rendered texts. */
  renderCacheBytesMax: 32 * 1024 * 1024,
  /** Heap of a render worker. */
  renderHeapMebibytesMax: 512,
  /** Idle timeout of a render worker. */
  renderIdleMs: 30_000,
  /** Files and screens that the URLs of one rendered text may reference. */
  namedByUrlsMax: 10_000,
  /** Images inlined in one rendered artifact, in total; further ones are omitted. */
  renderedImagesBytesMax: 16 * 1024 * 1024,
  /** Nesting depth of elements in a comment. */
  htmlDepthMax: 100,
  /** Number of `<`, `>` and `&` in an HTML text; with more it is shown as preformatted text: sanitising takes microseconds for each. */
  htmlMarksMax: 100_000,
  /** Calls and streams of one credential that wait for events. */
  followersPerCallerMax: 256,
  /** The limit for all callers. Sessions that are present are bounded by the same numbers. */
  followersMax: 2048,
  /** The limit for all agents together: the rest is reserved for owners. */
  agentFollowersMax: 1536,
  /** The limit for the agents of one project. */
  agentFollowersPerProjectMax: 1024,
  /**
   * Records and edges of one change that a feed has events of. Cursors before a larger change expire; the records that
   * it created are listed.
   */
  changeEventsMax: 25_000,
  webhooksPerProjectMax: 20,
  /** A delivery: looking up the host, connecting, sending the event, and the answer. */
  webhookTimeoutMs: 5000,
  /** The body of a delivery. */
  webhookBodyBytesMax: 64 * 1024,
  /** The part of an answer that is kept with the delivery; a longer answer is not read to its end. */
  webhookAnswerCharactersMax: 500,
  /** Deliveries that are kept of one webhook. */
  webhookDeliveriesKept: 100,
  /** Redeliveries of one webhook that wait. */
  webhookRedeliveriesMax: 100,
  /** Deliveries at the same time, of all webhooks. One webhook has one. */
  webhookConnectionsMax: 8,
  /** The limit for one project: receivers that do not answer delay the deliveries of their own project. */
  webhookConnectionsPerProjectMax: 2,
  /** The first retry of a delivery; each further one waits twice as long. */
  webhookRetryMs: 5000,
  webhookRetryMsMax: 60 * 60 * 1000,
  /** A webhook that no delivery reached for this long is paused. */
  webhookRetryHours: 24,
  /** Work for one project without a call, such as the deliveries of a webhook, that ended the service so often is suspended. */
  workEndsMax: 2,
  runEventsMax: 10_000,
  /** Messages of one run together: a run is one file. */
  runMessagesBytesMax: 2 * 1024 * 1024,
  blockedRowsMax: 20,
  /** How long, and for how many projects, it is known that a project was deleted, for cursors over all projects. */
  deletedProjectDays: 30,
  deletedProjectsMax: 1000,
  /** How long deleted records can be restored from the trash. */
  trashDays: 30,
  /** A deletion keeps only the name of a larger file that a person wrote. */
  trashFileBytesMax: 1024 * 1024,
  trashEntriesPerProjectMax: 10_000,
  trashEntriesMax: 50_000,
  /** Contents in the trash that no revision has: comments, and the changes to other records. A larger entry cannot be restored. */
  trashEntryBytesMax: 8 * 1024 * 1024,
  /** Beyond it the oldest entries lose their contents. */
  trashPerProjectBytesMax: 16 * 1024 * 1024,
  trashBytesMax: 64 * 1024 * 1024,
  shareLinkHoursDefault: 24,
  shareLinkHoursMax: 30 * 24,
  /** How long an ended link responds with `gone`; after that it responds with `not_found`. */
  endedLinkDays: 365,
  /** Per link and address. */
  guestSubmissionsPerMinuteMax: 10,
  guestRequestBytesMax: 256 * 1024,
  guestBodyBytesMax: 64 * 1024,
  /** Submissions of guests are rejected while this many await triage. */
  pendingSubmissionsMax: 1000,
  idempotencyHours: 24,
  /** After a smaller backward step of the system clock, the last time is reused until the clock catches up, so that records keep their creation order. */
  clockStepBackSecondsMax: 60,
  /** A larger result is not stored for retries but rebuilt from the record. */
  idempotencyAnswerBytesMax: 64 * 1024,
  /** Stored results of one credential in total; beyond it the oldest are rebuilt too. */
  idempotencyAnswersPerCredentialBytesMax: 8 * 1024 * 1024,
  idempotencyAnswersBytesMax: 64 * 1024 * 1024,
  /** Keys of one credential; beyond it the oldest expire before 24 hours. One takes about 700 bytes of memory. */
  idempotencyKeysPerCredentialMax: 100_000,
  idempotencyKeysMax: 250_000,
  /** Front matter of a record file that a person wrote. */
  frontMatterBytesMax: 64 * 1024,
  /** Front matter in the service's canonical format: thousands of links on one task, long contract fields of a goal. */
  canonicalFrontMatterBytesMax: 4 * 1024 * 1024,
  frontMatterKeysMax: 200,
  /** Larger record files are reported as a problem and not read: a repository of a megabyte can contain a file of a gigabyte. */
  recordFileBytesMax: 32 * 1024 * 1024,
  /** The service rotates history segments long before this size; larger ones in a repository are reported as a problem and not read. */
  historySegmentBytesMax: 128 * 1024 * 1024,
  /** config.json and its like. */
  settingsFileBytesMax: 4 * 1024 * 1024,
  /** Larger texts are not kept in the index but read on demand. */
  residentTextBytesMax: 64 * 1024,
  fileNameBytesMax: 120,
  /** Nesting depth of folders: the path of their directories must fit into the path limits of operating systems. */
  folderDepthMax: 30,
  /** All credentials together. */
  sessionsMax: 20_000,
  /** Per credential, ended ones included; one more evicts the one that has been idle longest. */
  sessionsPerCredentialMax: 1_000,
  sessionIdleHours: 24,
  /** Idle timeout of a browser's sign-in. */
  signInIdleHours: 12,
  /** Time from the redirect to the identity provider until the callback. */
  signInMinutesMax: 10,
  /** Per address, if the service is hosted. */
  failedCredentialsPerMinuteMax: 20,
  /** Per address. */
  signInsPerMinuteMax: 30,
  searchHitsDefault: 10,
  /** Titles that a search over all projects of a database ranks; if more match, its answer is `incomplete`. */
  searchTitlesMax: 5000,
  /** Texts that the index of a project contains for searches with bodies. */
  searchTextCharactersMax: 64 * 1024 * 1024,
  /** Time per turn of the event loop for all sliced work together: small requests wait this long at most. */
  turnBudgetMs: 5,
  /** A list of more records is read in slices. */
  readAtOnceRecordsMax: 1000,
  /** A change that names at least so many records runs in slices. */
  slicedChangeRecordsMin: 200,
  /** An entry of the log with so many changes and revisions is encoded in slices. */
  slicedEntryChangesMin: 500,
  /** A call that arrives later in a turn is deferred to the next one, so that a burst of calls does not block the event loop. */
  turnMsMax: 25,
  /** A longer JSON text of a resource is not kept for the next read of it. */
  resourceTextCharactersMax: 16 * 1024,
  /** All JSON texts of resources that are kept for the next reads. */
  resourceTextsCharactersMax: 4 * 1024 * 1024,
  /** A slice that blocks the event loop for longer is logged with its operation. */
  slowSliceMs: 50,
  /** The heap grows by this share of the live objects until it is collected. A smaller share costs more CPU time. */
  heapGrowthPercent: 60,
  /** Young generation of the main thread; half of it is in use at a time. A smaller one promotes objects that die a moment later. */
  youngGenerationBytesMax: 32 * 1024 * 1024,
  /** Young generation of the writer thread, whose objects are short-lived. */
  writerYoungGenerationMebibytesMax: 12,
  /** Idle timeout of the writer thread. */
  writerIdleMs: 5000,
  /** Young generation of the thread that watches directories. */
  watchYoungGenerationMebibytesMax: 2,
} as const;
