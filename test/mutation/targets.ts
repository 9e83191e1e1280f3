import { globSync } from 'node:fs';
import { join, sep } from 'node:path';
import { repository } from '../support/server-process.ts';

/** Sources that are mutated together, and the tests that must detect their mutants. */
export interface Area {
  readonly name: string;
  /** Globs below src/. */
  readonly sources: readonly string[];
  /** Globs below test/, without the ending `.test.ts`: of these, the files that run a mutant's line are tried. */
  readonly tests: readonly string[];
}

/** Tests that call a whole service over its transports. */
const overHttp = [
  ...[
    'http/*',
    'rest/{coerce,call-route,rest-transport,rest-requests,rest-route,route-table,service-response,service-routes}',
    'mcp/{json-rpc,mcp-transport,mcp-sessions,legacy-sdk,envelope,modern-era,modern-state}',
    'hostile/{callers,pages,sessions,bodies}',
  ],
  'spec/{bad-input,common,hosted,keys,files,links-hosted,unavailable,repeats}',
];
const onDisk = ['store/*', 'store/codec/*', 'hostile/{repository,names}', 'external-edits/files'];

/** The code that protects against hostile callers, guests, repositories and other services. */
export const areas: readonly Area[] = [
  {
    name: 'http',
    sources: ['http/!(metrics|page-style|metrics-route).ts'],
    tests: [...overHttp, 'pages/*', 'sign-in/*', 'hostile/connections', 'log'],
  },
  {
    name: 'transports',
    sources: [
      'rest/{call-route,coerce,rest-transport,rest-route,route-table,service-response,service-routes}.ts',
      'mcp/{json-rpc,mcp-transport,legacy-era,legacy-sdk,modern-era,modern-sdk,envelope,exchange,tool-calls}.ts',
    ],
    tests: overHttp,
  },
  {
    name: 'credentials',
    sources: [
      'domain/**/{keys,secrets,identities,shares,sign-ins}.ts',
      'operations/**/{authenticate,authentication,seal,schemes,sign-in-desk,sign-ins,attempt-limiter,minute-counter}.ts',
      'operations/**/{sessions,idempotency,repeat}.ts',
      'sign-in/{openid,sign-in}.ts',
    ],
    tests: [
      ...overHttp,
      'operations/{seal,sessions,idempotency,repeat,schemes,sign-in-desk,sign-ins}',
      'operations/{current-goal,guest-limiter,limits-per-minute,authenticate,credentials,dispatch}',
      'sign-in/*',
      'pages/*',
      'domain/*',
    ],
  },
  {
    name: 'guards',
    sources: [
      'operations/**/{authorise,admit,guest-limiter,find-project,preconditions}.ts',
      'domain/**/{media-types,project-fields,identities,keys,secrets,sign-ins}.ts',
    ],
    tests: [
      ...overHttp,
      'operations/{admit,guest-limiter,who-may-what,dispatch,projects,tasks}',
      'domain/{media-types,project-fields}',
      'pages/*',
      'spec/{projects,sharing,participants}',
    ],
  },
  {
    name: 'remote',
    sources: ['remote/*.ts'],
    tests: ['remote/*', 'spec/sync-pull'],
  },
  {
    name: 'files',
    sources: [
      'store/**/{real-directories,refuse-links,linked-path,link-bytes,file-name,local-files,locations,directory-depths,root-check}.ts',
      'store/**/{restrict-permissions,read-only}.ts',
      'store/files/codec/front-matter.ts',
    ],
    tests: [...onDisk, 'spec/files', 'cli/{doctor,read-only}'],
  },
  {
    name: 'lock',
    sources: ['store/**/{lock,lock-holder}.ts'],
    tests: ['store/{lock*,store,recovery}', 'external-edits/two-services'],
  },
  {
    name: 'git',
    sources: [
      'cli/{git,local-ownership,local-signature,machine-secret,local-git-status,user-directory,resolve,merge-registration}.ts',
      'platform/{cache-directory,programs}.ts',
      'store/**/git-guard.ts',
    ],
    tests: [
      'programs',
      'cache-directory',
      'git/*',
      'cli/*',
      'hostile/{repository,local-ownership,git-commands}',
      'store/git-guard*',
    ],
  },
  {
    name: 'sanitising',
    sources: [
      'domain/**/{comment-html,comment-body,page-html,guarded-page,artifact-page,reasonable-markdown}.ts',
      'domain/**/{html-urls,markdown-urls,file-url,text-urls,artifact-urls,share-rewrite}.ts',
      'pages/*.ts',
      'http/markup.ts',
      'printable.ts',
      'rendering/*.ts',
    ],
    tests: [
      ...['printable', 'domain/*', 'rendering/*', 'pages/*', 'http/markup'],
      'hostile/{pages,patterns,rendering,guest-texts,one-line}',
      'spec/{artifacts,comments,sharing,participants,hosted}',
    ],
  },
];

/**
 * Files, by globs below src/, whose every survivor is explained: one more fails the long tests. Of the others the long tests run a sample and
 * say the score; `npm run mutation -- --only <file>` lists what is to be killed or explained before a file is put here.
 */
const settled = [
  'printable.ts',
  'http/{hosted,loopback,cookies,csrf,security-headers,http-app}.ts',
  'http/{body-budget,connections,event-loop-delay,fetch-site,framing-page,http-server,json-members}.ts',
  'http/{markup,page-form,read-base64,read-json,read-upload,request-order,send,unsent-responses,request-log}.ts',
  'rest/{call-route,coerce,rest-route,rest-transport,route-table,service-response,service-routes}.ts',
  'mcp/{json-rpc,mcp-transport,legacy-era,legacy-sdk,exchange,tool-calls}.ts',
  'remote/*.ts',
  'operations/**/{authorise,authenticate,attempt-limiter,minute-counter,guest-limiter,find-project,preconditions,seal}.ts',
  'operations/**/{sessions,idempotency,repeat,schemes,authentication,sign-in-desk,sign-ins,admit}.ts',
  'sign-in/{openid,sign-in}.ts',
  'domain/**/{media-types,project-fields,identities,keys,secrets,sign-ins,shares}.ts',
  'domain/**/{comment-html,comment-body,page-html,guarded-page,artifact-page,reasonable-markdown}.ts',
  'domain/**/{html-urls,markdown-urls,file-url,text-urls,artifact-urls,share-rewrite}.ts',
  'pages/*.ts',
  'rendering/*.ts',
  'store/**/{real-directories,refuse-links,linked-path,link-bytes,local-files,file-name}.ts',
  'store/**/{git-guard,lock,lock-holder,locations,directory-depths,restrict-permissions,read-only,root-check}.ts',
  'store/files/codec/front-matter.ts',
  'cli/{git,local-ownership,local-signature,machine-secret,local-git-status,user-directory,resolve,merge-registration}.ts',
];

/** Paths of the settled files. */
export function settledFiles(): ReadonlySet<string> {
  return new Set(filesOf('src', settled));
}

/** Paths relative to the repository, with `/`, each once and in order. */
export function sourcesOf({ sources }: Area): string[] {
  return filesOf('src', sources);
}

export function testsOf({ tests }: Area): string[] {
  return filesOf(
    'test',
    tests.map((glob) => `${glob}.test.ts`),
  );
}

function filesOf(folder: string, globs: readonly string[]): string[] {
  const found = globs.flatMap((glob) => globSync(`${folder}/${glob}`, { cwd: repository }));
  return [...new Set(found.map((path) => path.split(sep).join('/')))].sort();
}

/** The absolute path of a file of the repository. */
export function absolute(file: string): string {
  return join(repository, file);
}
