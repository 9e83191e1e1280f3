import type { Blockquote, Heading, List, ListItem, Paragraph, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { readForeignPage } from '../store/files/codec/foreign-page.ts';
import type { ForeignPage } from '../store/files/codec/foreign-page.ts';
import type { ImportedPlan, Kept } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';
import { hasTickBox, linesWithBox, tickBoxOf } from './tick-box.ts';

export const markdownChecklist: FileFormat = {
  kind: 'file',
  name: 'markdown',
  places: [],
  detects: ({ path, text }) => (/\.(md|markdown)$/i.test(path) || beginsAsMarkdown(path, text)) && hasTickBox(text),
  read: ({ text }, { name }) => readMarkdownChecklist(text, name),
};

/** Standard input has no ending that identifies its format: a heading or an item is its first line. */
function beginsAsMarkdown(path: string, text: string): boolean {
  return !path.includes('.') && /^\s*(?:#+ |[-*+] )/.test(text);
}

/**
 * Reads the checklists of a Markdown file. Items with a tick box become tasks, nested ones parts of the item around
 * them; the headings above them are their goal, the text below the last one its objective. Text before the first
 * heading describes the project, and the front matter is kept there.
 */
export function readMarkdownChecklist(text: string, name: string): ImportedPlan {
  return new Checklist(readForeignPage(text), name).read();
}

/** A heading, with the content between it and the next heading. */
interface Section {
  /** The headings that it is in, and its own. */
  readonly path: readonly string[];
  readonly depth: number;
  readonly texts: string[];
  readonly items: Item[];
}

/** An item of a list: with a tick box, or with such items inside it. */
interface Item {
  readonly text: string;
  readonly below: readonly string[];
  readonly items: readonly Item[];
  /** The title of the callout that it is in. */
  readonly around?: string;
}

class Checklist {
  readonly #page: ForeignPage;
  readonly #markdown: Markdown;
  readonly #title: Heading | undefined;
  readonly #plan: PlanBuilder;
  /** The headings that the next one may be in. */
  readonly #around: Section[] = [];
  readonly #sections: Section[] = [{ path: [], depth: 0, texts: [], items: [] }];

  constructor(page: ForeignPage, name: string) {
    this.#page = page;
    this.#markdown = new Markdown(page.body);
    const { title } = page.fields;
    this.#title = this.#markdown.title();
    const called = this.#title === undefined ? title : this.#markdown.line(this.#title);
    this.#plan = new PlanBuilder('Markdown', typeof called === 'string' && called.trim() !== '' ? called : name);
    for (const { line, reason } of page.repairs)
      this.#plan.remarks.add('Front matter that is not YAML: it is kept as text.', `line ${line}: ${reason}`);
  }

  read(): ImportedPlan {
    for (const node of this.#markdown.nodes) {
      if (node === this.#title) continue;
      const section = this.#sections.at(-1)!;
      if (node.type === 'heading') this.#begin(node);
      else {
        const items = this.#markdown.itemsIn(node);
        if (items.length === 0) this.#addText(section, node);
        else section.items.push(...items);
        section.texts.push(...this.#markdown.textsBeside(node));
      }
    }
    this.#addGoals();
    return this.#plan.finish();
  }

  #begin(heading: Heading): void {
    const name = this.#markdown.line(heading);
    if (tickBoxOf(name) !== undefined)
      this.#plan.remarks.add('A heading with a tick box: it is a goal, or in the description.', name);
    while (this.#around.length > 0 && this.#around.at(-1)!.depth >= heading.depth) this.#around.pop();
    const path = [...(this.#around.at(-1)?.path ?? []), name];
    const section = { path, depth: heading.depth, texts: [], items: [] };
    this.#around.push(section);
    this.#sections.push(section);
  }

  /** A text whose tick boxes are not items: they are counted, and listed. */
  #addText(section: Section, node: RootContent): void {
    const text = this.#markdown.source(node);
    section.texts.push(text);
    if (node.type === 'code') return;
    for (const line of linesWithBox(text)) {
      this.#plan.countSource('item');
      const reason = 'it is in a text, a table or HTML, not in a list';
      this.#plan.leftOut({ of: 'item', reason, where: line.trim() });
    }
  }

  #addGoals(): void {
    const [before, ...sections] = this.#sections;
    const about = [...before!.texts];
    const paths = sections.filter(({ items }) => items.length > 0).map(({ path }) => path);
    const named = new Set(paths.flatMap((path) => path.map((_, at) => path.slice(0, at).join('\n'))));
    const goals = sections.map((section) => {
      const name = section.path.join(' / ');
      const objective = section.texts.join('\n\n');
      if (section.items.length > 0) return this.#plan.goal({ name, objective, foreignId: name });
      // A heading alone is in the names of the goals below it.
      if (objective.trim() !== '' || !named.has(section.path.join('\n')))
        about.push(`## ${section.path.at(-1)!}`, ...section.texts);
      return undefined;
    });
    this.#plan.describe(about.filter((part) => part.trim() !== '').join('\n\n'), this.#kept());
    for (const [at, section] of this.#sections.entries())
      for (const item of section.items) this.#addItem(item, section, { goal: goals[at - 1], above: [] });
  }

  #kept(): Kept {
    const { title, ...fields } = this.#page.fields;
    const isName = this.#title === undefined || title === this.#markdown.line(this.#title);
    return { ...fields, ...(!isName && { title }), 'front matter': this.#page.unread.join('\n') };
  }

  /** `above`: the items without a tick box that the item is in; `whole`: the one with a tick box. */
  #addItem(
    item: Item,
    section: Section,
    place: { readonly goal: string | undefined; readonly above: readonly string[]; readonly whole?: string },
  ): void {
    this.#plan.countSource('item');
    const { goal, whole } = place;
    const above = item.around === undefined ? place.above : [...place.above, item.around];
    const box = tickBoxOf(item.text);
    if (box === undefined) {
      const name = item.text === '' ? [] : [item.text.replace(/\s+/g, ' ')];
      if (item.items.length === 0)
        return this.#plan.leftOut({ of: 'item', reason: 'it has no tick box', where: name[0] ?? '-' });
      for (const one of item.items) this.#addItem(one, section, { ...place, above: [...above, ...name] });
      return;
    }
    const [label = '', ...lines] = item.text.slice(box.length).split('\n');
    const task = this.#plan.task({
      ...{ label: label.trim(), status: box.status, goal },
      description: [lines.join('\n'), ...item.below].filter((part) => part.trim() !== '').join('\n\n'),
      kept: {
        ...(above.length > 0 && { below: above.join(' / ') }),
        ...(box.unknown !== undefined && { 'tick box': `[${box.unknown}]` }),
      },
      foreignId: [...section.path, ...above, label.trim()].join(' / '),
    });
    if (box.unknown !== undefined)
      this.#plan.remarks.add('A tick box with a mark of its own: the task is `todo`, the mark is kept.', item.text);
    if (whole !== undefined) this.#plan.part(task, whole, label);
    for (const one of item.items) this.#addItem(one, section, { goal, above: [], whole: task });
  }
}

/** A Markdown text, and the items with tick boxes in it. */
class Markdown {
  readonly #text: string;
  readonly #items = new Map<RootContent, Item[]>();
  readonly #texts = new Map<RootContent, string[]>();
  readonly #quotes = new Map<RootContent, Markdown>();
  readonly nodes: readonly RootContent[];

  constructor(text: string) {
    this.#text = text;
    this.nodes = fromMarkdown(text).children;
  }

  /** A first heading of the first level is the name of the file's subject, unless there are items before it. */
  title(): Heading | undefined {
    const at = this.nodes.findIndex(({ type }) => type === 'heading');
    const heading = this.nodes[at];
    if (heading?.type !== 'heading' || heading.depth > 1) return undefined;
    return this.nodes.slice(0, at).some((node) => this.itemsIn(node).length > 0) ? undefined : heading;
  }

  /**
   * The items of a list, of the lists in a quote or callout, and the lines of a paragraph, if one of them has a tick
   * box; otherwise empty.
   */
  itemsIn(node: RootContent): Item[] {
    const items = this.#items.get(node) ?? this.#readItems(node);
    this.#items.set(node, items);
    return items;
  }

  #readItems(node: RootContent): Item[] {
    if (node.type === 'list') return this.#itemsOf(node);
    if (node.type === 'paragraph') return this.#linesOf(node);
    if (node.type !== 'blockquote') return [];
    const quoted = this.#quoted(node);
    const around = quoted.#calloutTitle();
    return quoted.nodes
      .flatMap((inner) => quoted.itemsIn(inner))
      .map((item) => (around === undefined ? item : { ...item, around }));
  }

  /** The texts next to items, in a quote, and below items without a tick box. */
  textsBeside(node: RootContent): string[] {
    const texts = this.#texts.get(node) ?? this.#readTexts(node);
    this.#texts.set(node, texts);
    return texts;
  }

  #readTexts(node: RootContent): string[] {
    if (this.itemsIn(node).length === 0) return [];
    if (node.type === 'list') return node.children.flatMap((item) => this.#textsIn(item));
    if (node.type !== 'blockquote') return [];
    const quoted = this.#quoted(node);
    return quoted.nodes.flatMap((inner) => {
      if (quoted.itemsIn(inner).length > 0) return quoted.textsBeside(inner);
      return [quoted.source(inner).replace(/^/gm, '> ')];
    });
  }

  #textsIn(item: ListItem): string[] {
    const { text, items } = this.#itemOf(item);
    if (tickBoxOf(text) !== undefined || items.length === 0) return [];
    const isFirst = item.children[0]?.type === 'paragraph';
    return item.children.slice(isFirst ? 1 : 0).flatMap((node) => {
      return this.itemsIn(node).length === 0 ? [this.source(node)] : this.textsBeside(node);
    });
  }

  #itemsOf(list: List): Item[] {
    const items = list.children.map((item) => this.#itemOf(item));
    return items.some((item) => tickBoxOf(item.text) !== undefined || item.items.length > 0) ? items : [];
  }

  #itemOf({ children }: ListItem): Item {
    const [first] = children;
    const more = first?.type === 'paragraph' ? children.slice(1) : children;
    return {
      text: first?.type === 'paragraph' ? this.source(first) : '',
      items: more.flatMap((node) => (node.type === 'paragraph' ? [] : this.itemsIn(node))),
      below: more.flatMap((node) => {
        const isText = node.type === 'paragraph' || this.itemsIn(node).length === 0;
        return isText ? [this.source(node)] : this.textsBeside(node);
      }),
    };
  }

  /** Lines that begin with a tick box each, without the mark of a list. */
  #linesOf(paragraph: Paragraph): Item[] {
    const lines = this.source(paragraph).split('\n');
    if (!lines.every((line) => tickBoxOf(line.trim()) !== undefined)) return [];
    return lines.map((line) => ({ text: line.trim(), below: [], items: [] }));
  }

  /** The text inside a quote: without its marks. */
  #quoted(quote: Blockquote): Markdown {
    const quoted = this.#quotes.get(quote) ?? new Markdown(this.source(quote).replaceAll(/^ {0,3}> ?/gm, ''));
    this.#quotes.set(quote, quoted);
    return quoted;
  }

  #calloutTitle(): string | undefined {
    const [first] = this.nodes;
    const text = first?.type === 'paragraph' ? this.source(first).split('\n', 1)[0]! : '';
    const [, kind, title = ''] = /^\[!([\w-]+)\][+-]?[ \t]*(.*)$/.exec(text) ?? [];
    return kind === undefined || title === '' ? kind : title;
  }

  /** The source of a node, its lines without the indentation that its place in lists gives them. */
  source({ position }: RootContent): string {
    const indent = (position?.start.column ?? 1) - 1;
    const source = this.#text.slice(position?.start.offset, position?.end.offset);
    return source.replace(new RegExp(`\\n[ \\t]{0,${indent}}`, 'g'), '\n');
  }

  line(heading: Heading): string {
    return this.source(heading)
      .replace(/^#{1,6}\s+|\s+#+\s*$|\n[=-]+\s*$/g, '')
      .trim();
  }
}
