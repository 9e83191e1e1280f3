import { mkdirSync, writeFileSync } from 'node:fs';
import { exported } from './exported.ts';
import { repository as root } from '../support/server-process.ts';
import type { GuideShell } from './guide-shell.ts';

/** A page, and the state of its reader before the first block. */
export interface Guide {
  readonly page: string;
  readonly prepare?: (shell: GuideShell) => unknown;
}

const repository = 'git init --quiet --initial-branch main . && git commit --quiet --allow-empty --message Begin';
const connected = `${repository} && planner connect`;
const shop = `${connected}
planner goal add Checkout
planner task add "Take payments" --goal checkout --priority high
planner task add "Send invoices" --goal checkout`;

const run = (page: string, lines: string): Guide => ({
  page: `docs/how-to/${page}.md`,
  prepare: (shell) => shell.run(lines),
});

/** A page about another tool, whose files are in the repository. */
const moveFrom = (tool: string): Guide => ({
  page: `docs/how-to/move-from-${tool}.md`,
  prepare: async (shell) => {
    for (const [path, content] of Object.entries(exported[tool]!)) shell.file(path, content);
    shell.program('gh', 'cat issues.github');
    await shell.run(repository);
  },
});

/** Pages whose shell blocks are run one after the other, and whose outputs are compared with the actual output. */
export const guides: readonly Guide[] = [
  { page: 'docs/tutorial/first-plan.md' },
  {
    page: 'docs/how-to/plan-a-feature-with-claude-code.md',
    prepare: async (shell) => {
      shell.program('claude', 'echo "$@"');
      await shell.run(`${connected}
planner goal add "Gift cards" --gate "npm test"
for task in "Sell a card" "Redeem a code" "Pay with a card" "Print a leaflet"
do planner task add "$task" --goal gift --status scope; done`);
    },
  },
  {
    page: 'docs/how-to/let-agents-work.md',
    prepare: async (shell) => {
      shell.file('check.sh', 'test -f sold');
      await shell.run(`${connected} && git add --all && git commit --quiet --message Check`);
      const claude = { command: '/bin/sh', args: ['-c', 'echo yes > sold'], protocol: 'stdin', env: {} };
      mkdirSync(shell.at('home/.config/planner'), { recursive: true });
      writeFileSync(shell.at('home/.config/planner/agents.json'), JSON.stringify({ claude }));
      await shell.serve();
    },
  },
  run('two-agents-two-worktrees', connected),
  {
    page: 'docs/how-to/team-on-github.md',
    prepare: async (shell) => {
      const config = `git config --file ../gitconfig url.${shell.at('shop.git')}.insteadOf git@github.com:example/web-shop.git`;
      await shell.run(`${config} && git init --quiet --bare --initial-branch main ../shop.git && ${repository}
git remote add origin git@github.com:example/web-shop.git && git push --quiet --set-upstream origin main`);
    },
  },
  run(
    'review-in-the-morning',
    `${shop}
planner task add "Email receipts" --goal checkout --status scope && planner task add "Print a leaflet" --status scope
planner claim payments --as builder && planner done payments --as builder
planner claim invoices --as builder && planner done invoices --as builder
run=$(planner call start_agent_run '{"agent_ref": "builder", "label": "Nightly"}' --json | jq -r .run.id)
planner call record_agent_progress "{\\"run_id\\": \\"$run\\", \\"message\\": \\"Which currency?\\"}"`,
  ),
  {
    page: 'docs/how-to/a-gate-in-ci.md',
    prepare: async (shell) => {
      shell.program('npm', `echo '${shell.at('global')}'`);
      await shell.run(`mkdir -p ../global/@planner-app && ln -s '${root}' ../global/@planner-app/planner
${shop}
planner task set payments --description "By card and PayPal."
planner goal add Prices --gate "test -f prices.mjs" --covers "*.mjs" && touch prices.mjs
git add . && git commit --quiet --message Prices && planner verify prices --trust
planner commit && git switch --quiet --create topic
planner claim payments --as builder && planner done payments --as builder
planner task set payments --description "By card and Klarna."
planner task add Refund --goal checkout --priority high && planner dep add Refund --after payments`);
    },
  },
  run('remove-planner', `${shop}\ngit add . && git commit --quiet --message "Begin a plan"`),
  {
    page: 'docs/how-to/troubleshooting.md',
    prepare: async (shell) => {
      await shell.run(connected);
      const { rest } = await shell.serve();
      await rest.delete(`/projects/${(await rest.get('/projects')).body.projects[0].id}`);
    },
  },
  ...Object.keys(exported).map(moveFrom),
];
