import { isoTime } from '../base/clock.ts';
import type { Fields } from '../domain/exchange/draft.ts';
import { Members } from './imported-plan.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { objectOf, objectsIn, shown } from './members.ts';
import { timeOf } from './dates.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';
import { cancelled, isStatus, statusOf } from './status-synonyms.ts';

/** Members of a card that repeat others, or say how Trello shows it. */
const bookkeeping = [
  ...['id', 'idBoard', 'idList', 'idShort', 'idChecklists', 'idAttachmentCover'],
  ...['badges', 'checkItemStates', 'closed', 'cover', 'descData', 'dueReminder', 'email', 'limits'],
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
  places: [],
  detects: ({ object }) =>
    Array.isArray(object?.['cards']) && Array.isArray(object['lists']) && typeof object['name'] === 'string',
  read: (file, { name }) => readTrello(requireObject(file), name),
};

/**
 * Reads a board of Trello ("Export as JSON"). Cards become tasks in the order of the board; the list is the status if it is called like one,
 * else a tag. Checklists are in the description, comments are comments. Archived cards have the tag `archived`, and are cancelled unless done.
 */
export function readTrello(board: Fields, name: string): ImportedPlan {
  return new Board(board, name).read();
}

class Board {
  readonly #plan: PlanBuilder;
  readonly #board: Members;
  readonly #lists: ReadonlyMap<unknown, Fields>;
  readonly #members: ReadonlyMap<unknown, string>;
  readonly #labels: ReadonlyMap<unknown, Fields>;
  readonly #fields: ReadonlyMap<unknown, Fields>;
  readonly #checklists: ReadonlyMap<unknown, Fields[]>;
  readonly #tasks = new Map<unknown, string>();

  constructor(board: Fields, name: string) {
    const called = typeof board['name'] === 'string' ? board['name'] : name;
    this.#plan = new PlanBuilder('Trello', called);
    this.#board = this.#plan.members(board, 'board');
    const byId = (list: string): Map<unknown, Fields> =>
      new Map(this.#board.objects(list).map((one) => [one['id'], one]));
    this.#lists = byId('lists');
    this.#labels = byId('labels');
    this.#fields = byId('customFields');
    this.#members = new Map([...byId('members')].map(([id, member]) => [id, nameOf(member)]));
    this.#checklists = Map.groupBy(this.#board.objects('checklists'), ({ idCard }) => idCard);
  }

  read(): ImportedPlan {
    this.#plan.describe(this.#board.text('desc') ?? '');
    const places = [...this.#lists.values()].sort(byPosition).map(({ id }) => id);
    const cards = this.#board.objects('cards');
    const inOrder = cards.toSorted(
      (a, b) => places.indexOf(a['idList']) - places.indexOf(b['idList']) || byPosition(a, b),
    );
    for (const card of inOrder) this.#addCard(card);
    // The newest action is first.
    for (const action of this.#board.objects('actions').toReversed()) this.#addComment(action);
    return this.#plan.finish();
  }

  #addCard(card: Fields): void {
    this.#plan.countSource('card');
    const members = this.#plan.members(card, shown(card['name'] ?? card['id']));
    const id = members.text('id') ?? '';
    const { status, tags, list } = this.#stateOf(members);
    const people = members.list('idMembers', (one) => this.#personOf(one));
    const voters = members.list('idMembersVoted', (one) => this.#personOf(one));
    const [assignee = null, ...others] = people;
    const due = members.text('due');
    const fields = members.objects('customFieldItems').map((field) => this.#fieldOf(field));
    const labels = this.#labelsOf(members);
    const checklists = [...(this.#checklists.get(id) ?? []), ...members.objects('checklists')];
    const attachments = members.list('attachments', attachmentOf);
    const url = members.text('url') ?? members.text('shortUrl');
    for (const member of bookkeeping) members.take(member);
    const task = this.#plan.task({
      ...{ label: members.text('name') ?? '', status, assignee },
      description: [members.text('desc') ?? '', ...this.#textsOf(checklists)]
        .filter((part) => part !== '')
        .join('\n\n'),
      due: { name: 'due', text: due },
      ...{ created: { name: 'created', text: createdAt(id) }, tags: [...labels, ...tags] },
      kept: {
        ...{ id, url, list },
        ...{ 'other members': others, votes: voters, attachments },
      },
    });
    for (const [called, value] of fields) this.#plan.keep(task, { [called]: value });
    this.#plan.keep(task, members.rest());
    this.#tasks.set(id, task);
  }

  /** A list that is called like a status is the status, any other one a tag. A card that is archived is not waited for. */
  #stateOf(card: Members): { readonly status: string; readonly tags: readonly string[]; readonly list?: string } {
    const list = this.#lists.get(card.take('idList')) ?? {};
    const name = typeof list['name'] === 'string' ? list['name'] : '';
    const isNamed = isStatus(name);
    const { status, exact } = statusOf(name);
    const archived = card.take('closed') === true || list['closed'] === true;
    const done = card.take('dueComplete') === true || status === 'done';
    return {
      status: done ? 'done' : archived ? cancelled : status,
      tags: [...(isNamed || name === '' ? [] : [name]), ...(archived ? ['archived'] : [])],
      // The name of the list is kept if it is not the status.
      ...(isNamed && (!exact || (status !== 'done' && (done || archived))) && { list: name }),
    };
  }

  /** The name of a member of the board; the id of a former one stays. */
  #personOf(id: unknown): string | undefined {
    return this.#members.get(id) || (typeof id === 'string' && id !== '' ? id : undefined);
  }

  /** The names of a card's labels, which may be in the board only. */
  #labelsOf(card: Members): string[] {
    const own = card.list('labels', (label) => labelOf(objectOf(label) ?? {}));
    const ids = card.list('idLabels', (id) => (typeof id === 'string' ? id : undefined));
    return own.length > 0 ? own : ids.map((id) => labelOf(this.#labels.get(id) ?? {}) ?? id);
  }

  /** A custom field and its value: the text of an option, which its field has, instead of its id. */
  #fieldOf({ idCustomField, value, idValue }: Fields): [string, unknown] {
    const field = this.#fields.get(idCustomField) ?? {};
    const options = objectsIn(field['options']);
    const option = objectOf(options.find((one) => (one['id'] ?? one['_id']) === idValue)?.['value']);
    const first = Object.values(objectOf(value) ?? option ?? { idValue })[0];
    return [typeof field['name'] === 'string' ? field['name'] : shown(idCustomField), first];
  }

  #textsOf(checklists: readonly Fields[]): string[] {
    return checklists.toSorted(byPosition).map((list) => {
      const members = this.#plan.members(list, `checklist ${shown(list['name'])}`);
      const items = members.objects('checkItems').toSorted(byPosition);
      return `## ${shown(list['name'])}\n\n${items.map((item) => this.#itemOf(item)).join('\n')}`;
    });
  }

  /** An item of a checklist, with its day and its person. */
  #itemOf({ name, state, due, idMember }: Fields): string {
    const day = typeof due === 'string' ? (timeOf(due)?.slice(0, 10) ?? due) : undefined;
    const more = [day, this.#personOf(idMember)].filter((part) => part !== undefined && part !== '').join(', ');
    return `- [${state === 'complete' ? 'x' : ' '}] ${shown(name)}${more === '' ? '' : ` (${more})`}`;
  }

  #addComment(action: Fields): void {
    if (action['type'] !== 'commentCard' && action['type'] !== 'copyCommentCard') return;
    const data = objectOf(action['data']) ?? {};
    const task = this.#tasks.get(objectOf(data['card'])?.['id']);
    if (task === undefined) {
      this.#plan.countSource('comment');
      this.#plan.leftOut({ of: 'comment', reason: 'its card is not on the board', where: shown(action['id']) });
      return;
    }
    const author = nameOf(objectOf(action['memberCreator']) ?? {});
    this.#plan.comment(task, {
      body: new Members(data).text('text') ?? '',
      author: author === '' ? (this.#personOf(action['idMemberCreator']) ?? '') : author,
      created: { name: 'date', text: new Members(action).text('date') },
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

function attachmentOf(attachment: unknown): string | undefined {
  const { name, url } = objectOf(attachment) ?? {};
  const parts = [name, url].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}

function byPosition({ pos: a }: Fields, { pos: b }: Fields): number {
  return (typeof a === 'number' ? a : 0) - (typeof b === 'number' ? b : 0);
}

/** The ids of Trello begin with the time of their creation, in seconds. */
function createdAt(id: string): string | undefined {
  return /^[0-9a-f]{24}$/.test(id) ? isoTime(Number.parseInt(id.slice(0, 8), 16) * 1000) : undefined;
}
