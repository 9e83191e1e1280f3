import type { DummyRuleMap, OxlintConfig } from 'oxlint';

/** Every rule is an error: warnings are not read. Formatting is checked by oxfmt, layers by dependency-cruiser. */

const fileSystem = ['fs', 'node:fs', 'fs/promises', 'node:fs/promises'];
const randomNames = [
  'randomBytes',
  'randomFillSync',
  'randomFill',
  'randomInt',
  'randomUUID',
  'getRandomValues',
  'webcrypto',
];

const oneRunner =
  'Other programs are started by src/platform/programs.ts, which finds them where no repository can put one.';

interface Source {
  readonly imports?: readonly { readonly name: string; readonly importNames?: string[]; readonly message: string }[];
  readonly patterns?: readonly { readonly group: string[]; readonly message: string }[];
  readonly syntax?: readonly { readonly selector: string; readonly message: string }[];
}

/** What one file each may do, so that a test can put its own disk, clock, ids and settings in place. */
const sources = {
  disk: {
    imports: fileSystem.map((name) => ({
      name,
      message: 'The file system is reached through the Disk (src/store/files/disk/disk.ts).',
    })),
  },
  clock: {
    imports: ['timers', 'node:timers', 'timers/promises', 'node:timers/promises'].map((name) => ({
      name,
      message: 'Waiting is done by a Clock (src/base/clock.ts).',
    })),
    syntax: [
      {
        selector: "MemberExpression[object.name='Date'][property.name='now']",
        message: 'Time comes from a Clock (src/base/clock.ts).',
      },
      {
        selector: "NewExpression[callee.name='Date'][arguments.length=0]",
        message: 'Time comes from a Clock (src/base/clock.ts).',
      },
      {
        selector: "CallExpression[callee.name='Date']",
        message: 'Time comes from a Clock (src/base/clock.ts).',
      },
      {
        selector: "MemberExpression[object.name='performance'][property.name='now']",
        message: 'Durations come from a Clock (src/base/clock.ts).',
      },
      {
        selector: "MemberExpression[object.name='process'][property.name=/^(hrtime|uptime)$/]",
        message: 'Durations come from a Clock (src/base/clock.ts).',
      },
      {
        selector: "MemberExpression[object.name='Atomics'][property.name='wait']",
        message: 'Waiting is done by a Clock (src/base/clock.ts).',
      },
    ],
  },
  randomness: {
    imports: ['crypto', 'node:crypto'].map((name) => ({
      name,
      importNames: randomNames,
      message: 'Randomness comes from src/base/ids.ts.',
    })),
    syntax: [
      {
        selector: "MemberExpression[object.name='crypto'][property.name=/^(getRandomValues|randomUUID)$/]",
        message: 'Randomness comes from src/base/ids.ts.',
      },
    ],
  },
  environment: {
    imports: ['process', 'node:process'].map((name) => ({
      name,
      importNames: ['env', 'default'],
      message: 'The environment is read by src/base/config.ts.',
    })),
    syntax: [
      {
        selector: "MemberExpression[object.name='process'][property.name='env']",
        message: 'The environment is read by src/base/config.ts.',
      },
    ],
  },
  processes: {
    imports: ['child_process', 'node:child_process', 'cluster', 'node:cluster'].map((name) => ({
      name,
      message: oneRunner,
    })),
    syntax: [
      {
        selector: 'CallExpression > Literal[value=/^(node:)?(child_process|cluster)$/]',
        message: oneRunner,
      },
    ],
  },
  programs: {
    patterns: [
      {
        group: ['**/platform/programs.ts'],
        message:
          'Git is started by src/cli/git/git.ts, which keeps a repository from naming commands for it; the browser by login/open-browser.ts, a command of the user by run-with-input.ts, a gate by verify/run-command.ts, a coding agent by runner/agents/agent-process.ts.',
      },
    ],
  },
};

/** No file may: a callback that answers at once lets a connection fail, or be made, before anybody listens to it. */
const connecting = {
  selector: 'Property[key.name=/^(lookup|createConnection|SNICallback|ALPNCallback|pskCallback)$/]',
  message:
    'net, tls and http get no callback by which they connect: it may answer in the same turn. Resolve the name before, and connect to the address.',
};

/** Rules that keep each of `sources` in one file, for files that may use all but `allowed`. An override replaces a rule's options, so they are made whole. */
function oneFileEach(...allowed: (keyof typeof sources)[]): DummyRuleMap {
  const kept = Object.entries<Source>(sources).filter(([name]) => !allowed.includes(name as keyof typeof sources));
  return {
    'no-restricted-imports': [
      'error',
      {
        paths: kept.flatMap(([, { imports = [] }]) => imports),
        patterns: kept.flatMap(([, { patterns = [] }]) => patterns),
      },
    ],
    'planner/restricted-syntax': ['error', connecting, ...kept.flatMap(([, { syntax = [] }]) => syntax)],
  };
}

const typescript: DummyRuleMap = {
  'no-array-constructor': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'typescript/await-thenable': 'error',
  'typescript/ban-ts-comment': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-empty-object-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-namespace': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/unbound-method': 'error',
  'typescript/return-await': ['error', 'error-handling-correctness-only'],
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
  'typescript/consistent-type-exports': 'error',
  // The SDK calls its low-level server deprecated for what `McpServer` does; ours has schemas of its own.
  'typescript/no-deprecated': [
    'error',
    {
      allow: [
        { from: 'package', name: 'Server', package: '@modelcontextprotocol/sdk' },
        { from: 'package', name: 'Server', package: '@modelcontextprotocol/server' },
      ],
    },
  ],
  // `AlreadyExecuted` ends a transaction early; it is no failure and needs no stack.
  'typescript/only-throw-error': [
    'error',
    { allow: [{ from: 'file', name: 'AlreadyExecuted' }], allowRethrowing: true },
  ],
  'typescript/prefer-promise-reject-errors': 'error',
  'typescript/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
  'typescript/use-unknown-in-catch-callback-variable': 'error',
  'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
};

const everywhere: DummyRuleMap = {
  // The compiler's noUnusedLocals and noUnusedParameters say it already.
  'no-unused-vars': 'off',
  'no-unused-private-class-members': 'off',
  // A generator of a simulation may have nothing to wait for.
  'require-yield': 'off',
  // Texts are taken apart by code point on purpose.
  'typescript/no-misused-spread': 'off',
  // A discarded result is marked, whatever its type.
  'typescript/no-meaningless-void-operator': 'off',
  // It does not know that an index may be out of range.
  'typescript/no-useless-default-assignment': 'off',
  // What React's compiler could not compile: it is not used.
  ...Object.fromEntries(
    [
      'immutability',
      'incompatible-library',
      'preserve-manual-memoization',
      'purity',
      'refs',
      'set-state-in-effect',
    ].map((name) => [`react/${name}`, 'off' as const]),
  ),
  'array-callback-return': 'error',
  'default-case-last': 'error',
  // `== null` asks for null and undefined at once.
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
  'no-constructor-return': 'error',
  'no-empty': 'error',
  'no-eval': 'error',
  'no-extend-native': 'error',
  'no-fallthrough': 'error',
  'no-new-func': 'error',
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
  // A failure that depends on an unseeded random number cannot be reproduced; ids are made by src/base/ids.ts.
  'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
  'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
};

export default {
  plugins: ['typescript', 'react'],
  jsPlugins: ['./test/gate/lint-plugin.ts'],
  categories: { correctness: 'error' },
  options: { reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['node_modules/', 'dist/', 'coverage/', '.bench/', '.planner/', '**/*.d.ts'],
  rules: everywhere,
  overrides: [
    { files: ['**/*.ts', '**/*.tsx'], rules: typescript },
    // Generated: their types are checked, and not how they are written.
    {
      files: [
        ...['src/domain/records/shown.ts', 'src/schema/types.ts'],
        ...['src/web/rest/operations.ts', 'src/web/rest/types.ts'],
      ],
      rules: Object.fromEntries(Object.keys({ ...everywhere, ...typescript }).map((name) => [name, 'off'])),
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: ['src/web/**'],
      rules: {
        ...oneFileEach(),
        'no-console': 'error',
        'no-shadow': 'error',
        'typescript/explicit-module-boundary-types': 'error',
        complexity: ['error', 20],
        'max-depth': ['error', 4],
        'max-params': ['error', 6],
        'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      // Tests and simulations decide when time passes in the store. Turns of the event loop (setImmediate) are not time.
      files: ['src/store/**/*.ts'],
      rules: {
        'no-restricted-globals': [
          'error',
          {
            globals: ['setTimeout', 'setInterval'].map((name) => ({
              name,
              message: 'The store waits by a Clock (src/base/clock.ts).',
            })),
            checkGlobalObject: true,
          },
        ],
      },
    },
    { files: ['src/store/files/disk/disk.ts'], rules: oneFileEach('disk') },
    { files: ['src/base/clock.ts'], rules: oneFileEach('clock') },
    { files: ['src/base/ids.ts'], rules: oneFileEach('randomness') },
    { files: ['src/base/config.ts'], rules: oneFileEach('environment') },
    // Before anything is loaded: where compiled code is kept.
    { files: ['src/main.ts', 'src/platform/cache-directory.ts'], rules: oneFileEach('environment', 'disk') },
    // They work on the repository, not on plans.
    { files: ['src/build/manifest.ts', 'src/build/trace-maps.ts'], rules: oneFileEach('disk') },
    { files: ['src/build/build.ts'], rules: oneFileEach('disk', 'processes') },
    // They make and unpack the single executable: no plan is open yet.
    { files: ['src/binary/**/*.ts'], rules: { ...oneFileEach('disk', 'programs'), 'no-console': 'off' } },
    { files: ['src/platform/programs.ts'], rules: oneFileEach('disk', 'processes') },
    // Git, the browser, the editor and the --exec of the user, and this program as a service: a repository can name none of them.
    {
      files: [
        'src/cli/call/background-service.ts',
        'src/cli/terminal/editor.ts',
        'src/cli/git/git.ts',
        'src/cli/login/open-browser.ts',
        'src/cli/terminal/pager.ts',
        'src/cli/terminal/run-with-input.ts',
        'src/cli/verify/run-command.ts',
        'src/cli/verify/process-group.ts',
        'src/cli/runner/agents/agent-process.ts',
      ],
      rules: oneFileEach('programs'),
    },
    // The command line and whatever is started as a program speak to a terminal.
    {
      files: [
        'src/main.ts',
        'src/main/start.ts',
        'src/main/git-merge.ts',
        'src/cli/**/*.ts',
        'src/reference/generated-files.ts',
      ],
      rules: { 'no-console': 'off' },
    },
    {
      // The page runs in browsers: time and randomness are theirs, and what a component draws is long without being hard.
      files: ['src/web/**/*.ts', 'src/web/**/*.tsx'],
      rules: {
        'planner/no-data-default': 'error',
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        'no-console': 'error',
        // The name of a component wrapped in memo occurs twice.
        'no-shadow': ['error', { ignoreOnInitialization: true }],
        'typescript/explicit-module-boundary-types': 'error',
        // React's event handlers may be async: what they throw is shown by the change that they make.
        'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
        complexity: ['error', 20],
        'max-depth': ['error', 4],
        'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      files: ['test/**/*.ts'],
      rules: {
        // The clients that tests share answer whatever the service said: what it is, the test is about to find out.
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        // chai's `expect(x).to.be.true` is an expression.
        'no-unused-expressions': 'off',
        // Tests write programs as texts.
        'no-template-curly-in-string': 'off',
        'planner/restricted-syntax': [
          'error',
          {
            selector:
              'MemberExpression[object.name=/^(describe|context|suite|it|specify|test)$/][property.name=/^(only|skip)$/]',
            message: 'Every test runs, always.',
          },
          {
            selector: 'CallExpression[callee.name=/^(xdescribe|xcontext|xit|xspecify)$/]',
            message: 'Every test runs, always.',
          },
        ],
      },
    },
  ],
} satisfies OxlintConfig;
