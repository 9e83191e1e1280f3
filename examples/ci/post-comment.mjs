// Posts a comment on a pull request of GitHub or a merge request of GitLab, or updates the one that it posted before:
//   node post-comment.mjs FILE
// It needs Node alone, and reads the variables that the forge sets for each job, and these:
//   PLANNER_COMMENT_TOKEN   a token that may comment
//   PLANNER_PULL_REQUEST    on GitHub: the number of the pull request
//   PLANNER_COMMENT_AUTHOR  on GitHub: the account of the token; default github-actions[bot]
import { readFileSync } from 'node:fs';

const body = readFileSync(process.argv[2], 'utf8').trimEnd();
// The first line marks the comment, and is not shown.
const [marker, first = ''] = body.split('\n');
const isEmpty = first.startsWith('**Plan:** no difference');
const perPage = 100;
const { env } = process;
const forge = env.GITHUB_API_URL === undefined ? gitLab() : gitHub();

const known = await existing();
if (known !== undefined) {
  await call(forge.updateMethod, forge.comment(known.id), { body });
  console.log('The comment is updated.');
} else if (isEmpty) {
  console.log('The plan does not differ: there is no comment.');
} else {
  await call('POST', forge.comments, { body });
  console.log('The comment is posted.');
}

function gitHub() {
  const repository = `${env.GITHUB_API_URL}/repos/${required('GITHUB_REPOSITORY')}/issues`;
  const author = env.PLANNER_COMMENT_AUTHOR ?? 'github-actions[bot]';
  return {
    headers: { authorization: `Bearer ${required('PLANNER_COMMENT_TOKEN')}`, accept: 'application/vnd.github+json' },
    comments: `${repository}/${required('PLANNER_PULL_REQUEST')}/comments`,
    comment: (id) => `${repository}/comments/${id}`,
    updateMethod: 'PATCH',
    isOwn: async () => (comment) => comment.user?.login === author,
  };
}

function gitLab() {
  const api = required('CI_API_V4_URL');
  const request = `${api}/projects/${required('CI_PROJECT_ID')}/merge_requests/${required('CI_MERGE_REQUEST_IID')}`;
  return {
    headers: { 'private-token': required('PLANNER_COMMENT_TOKEN') },
    comments: `${request}/notes`,
    comment: (id) => `${request}/notes/${id}`,
    updateMethod: 'PUT',
    isOwn: async () => {
      const { id } = await call('GET', `${api}/user`);
      return (note) => note.author?.id === id;
    },
  };
}

function required(name) {
  const value = env[name];
  if (value) return value;
  console.error(`The variable ${name} is not set.`);
  process.exit(2);
}

/** The comment of this program: another author may write the marker, too. */
async function existing() {
  const isOwn = await forge.isOwn();
  for (let page = 1; ; page++) {
    const comments = await call('GET', `${forge.comments}?per_page=${perPage}&page=${page}`);
    const found = comments.find((comment) => comment.body.startsWith(marker) && isOwn(comment));
    if (found !== undefined || comments.length < perPage) return found;
  }
}

async function call(method, url, content) {
  const headers = { ...forge.headers, 'user-agent': 'planner-ci', 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: content && JSON.stringify(content), redirect: 'error' });
  if (response.ok) return response.json();
  console.error(`${method} ${url} was answered with ${response.status}: ${(await response.text()).slice(0, 500)}`);
  process.exit(1);
}
