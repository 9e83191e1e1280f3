import { isoTime } from '../clock.ts';
import type { Fields } from '../domain/exchange/draft.ts';
import { Members } from './imported-plan.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { objectOf } from './members.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';
import { dayOf, statusOf, statusWords, timeOf } from './status-synonyms.ts';

/** Members of a card that repeat others, or say how Trello shows it. */
const bookkeeping = [
  ...['id', 'idBoard', 'idList', 'idShort', 'idChecklists', 'idLabels', 'idMembersVoted', 'idAttachmentCover'],
  ...['badges', 'checkItemStates', 'checklists', 'closed', 'cover', 'descData', 'dueReminder', 'email', 'limits'],
  ...[
    'manualCoverAttachment',
    'pos',
    'shortLink',
    'shortUrl',
    'subscribed',
    'isTemplate',
    'cardRole',
    'creationMethod',
  ],
  ...['dateLastActivity', 'nodeId', 'pinned', 'mirrorSourceId', 'mirrorSourceNodeId', 'idOrganization', 'dueComplete'],
  ...['agent', 'faceAttachment', 'stickers', 'pluginData', 'creationMethodError', 'creationMethodLoadingStartedAt'],
];

export const trello: FileFormat = {
  kind: 'file',
  name: 'trello',
  offered: 'the JSON of a Trello board',
  places: [],
  detects: ({ object }) =>
    Array.isArray(object?.['cards']) && Array.isArray(object['lists']) && typeof object['name'] === 'string',
  read: (file, { name }) => readTrello(requireObject(file), name),
};

/**
 * Reads a board of Trello ("Export as JSON"). Cards become tasks in the order of the board; the list is the status if it is called like one,
 * else a tag. Checklists are in the description, comments are comments. Archived cards are backlog with the tag `archived`.
 */
export function readTrello(board: Fields, name: string): ImportedPlan {
  return new Board(board, name).read();
}

class Board {
  readonly #plan: PlanBuilder;
  readonly #board: Members;
  readonly #lists: ReadonlyMap<unknown, Fields>;
  readonly #members: ReadonlyMap<unknown, string>;
  readonly #fields: ReadonlyMap<unknown, unknown>;
  readonly #checklists: ReadonlyMap<unknown, Fields[]>;
  readonly #tasks = new Map<unknown, string>();

  constructor(board: Fields, name: string) {
    this.#board = new Members(board);
    this.#plan = new PlanBuilder('Trello', this.#board.text('name') ?? name);
    this.#lists = new Map(this.#board.objects('lists').map((list) => [list['id'], list]));
    this.#members = new Map(this.#board.objects('members').map((one) => [one['id'], nameOf(one)]));
    this.#fields = new Map(this.#board.objects('customFields').map(({ id, name: called }) => [id, called]));
    this.#checklists = Map.groupBy(this.#board.objects('checklists'), ({ idCard }) => idCard);
  }

  read(): ImportedPlan {
    const description = this.#board.text('desc') ?? '';
    if (description !== '') this.#plan.describe(description);
    const places = [...this.#lists.values()].sort(byPosition).map(({ id }) => id);
    const cards = this.#board.objects('cards');
    const inOrder = cards.toSorted(
      (a, b) => places.indexOf(a['idList']) - places.indexOf(b['idList']) || byPosition(a, b),
    );
    for (const card of inOrder) this.#addCard(new Members(card));
    // The newest action is first.
    for (const action of this.#board.objects('actions').toReversed()) this.#addComment(action);
    return this.#plan.finish();
  }

  #addCard(members: Members): void {
    this.#plan.countSource('card');
    const id = members.text('id') ?? '';
    const { status, tags, list } = this.#stateOf(members);
    const [assignee = null, ...others] = members.texts('idMembers').map((one) => this.#members.get(one) ?? one);
    const due = members.text('due');
    const attachments = members.objects('attachments');
    const fields = members.objects('customFieldItems');
    const labels = members.objects('labels').map(labelOf);
    const url = members.text('url') ?? members.text('shortUrl');
    for (const member of bookkeeping) members.take(member);
    const task = this.#plan.task({
      ...{ label: members.text('name') ?? '', status, assignee },
      description: [members.text('desc') ?? '', ...this.#checklistsOf(id)].filter((part) => part !== '').join('\n\n'),
      ...{ due_date: dayOf(due) ?? null, created_at: createdAt(id) },
      tags: [...labels.filter((label) => label !== undefined), ...tags],
      kept: {
        id,
        url,
        list,
        ...(due !== undefined && !/T00:00:00/.test(due) && { due }),
        ...(others.length > 0 && { 'other members': others }),
        attachments: attachments.map(({ name, url: to }) =>
          [name, to].filter((part) => typeof part === 'string').join(': '),
        ),
        ...Object.fromEntries(fields.map((field) => this.#fieldOf(field))),
        ...members.rest(),
      },
    });
    this.#tasks.set(id, task);
  }

  /** A list that is called like a status is the status, any other one a tag. */
  #stateOf(card: Members): { readonly status: string; readonly tags: readonly string[]; readonly list?: string } {
    const list = this.#lists.get(card.take('idList')) ?? {};
    const name = typeof list['name'] === 'string' ? list['name'] : '';
    const isStatus = statusWords[name.toLowerCase().replace(/[^a-z]/g, '')] !== undefined;
    const { status, exact } = statusOf(name);
    const archived = card.take('closed') === true || list['closed'] === true;
    const done = card.take('dueComplete') === true || status === 'done';
    return {
      status: done ? 'done' : archived ? 'backlog' : status,
      tags: [...(isStatus || name === '' ? [] : [name]), ...(archived ? ['archived'] : [])],
      ...(isStatus && !exact && { list: name }),
    };
  }

  #fieldOf({ idCustomField, value, idValue }: Fields): [string, unknown] {
    const called = this.#fields.get(idCustomField);
    const first = Object.values(objectOf(value) ?? { idValue })[0];
    return [typeof called === 'string' ? called : String(idCustomField), first];
  }

  #checklistsOf(card: string): string[] {
    return (this.#checklists.get(card) ?? []).toSorted(byPosition).map((list) => {
      const items = new Members(list).objects('checkItems').toSorted(byPosition);
      const lines = items.map(({ name, state }) => `- [${state === 'complete' ? 'x' : ' '}] ${String(name)}`);
      return `## ${String(list['name'])}\n\n${lines.join('\n')}`;
    });
  }

  #addComment(action: Fields): void {
    if (action['type'] !== 'commentCard') return;
    const data = objectOf(action['data']) ?? {};
    const task = this.#tasks.get(objectOf(data['card'])?.['id']);
    const members = new Members(data);
    this.#plan.countSource('comment');
    if (task === undefined) {
      this.#plan.leftOut({ of: 'comment', reason: 'its card is not on the board', where: String(action['id']) });
      return;
    }
    this.#plan.comment(task, {
      body: members.text('text') ?? '',
      author: nameOf(objectOf(action['memberCreator']) ?? {}),
      created_at: timeOf(new Members(action).text('date')),
    });
  }
}

function nameOf({ fullName, username }: Fields): string {
  return ([fullName, username].find((name) => typeof name === 'string' && name !== '') as string | undefined) ?? '';
}

/** A label without a name is known by its colour. */
function labelOf({ name, color }: Fields): string | undefined {
  return [name, color].find((one): one is string => typeof one === 'string' && one !== '');
}

function byPosition({ pos: a }: Fields, { pos: b }: Fields): number {
  return (typeof a === 'number' ? a : 0) - (typeof b === 'number' ? b : 0);
}

/** The ids of Trello begin with the time of their creation, in seconds. */
function createdAt(id: string): string | undefined {
  return /^[0-9a-f]{24}$/.test(id) ? isoTime(Number.parseInt(id.slice(0, 8), 16) * 1000) : undefined;
}
