import { getHeapStatistics } from 'node:v8';
import type { HostedProject } from './hosted-project.ts';

/**
 * The bytes that a project takes in addition to its records. Measured, and 15 to 25 % added: 848 B for a task without
 * texts, 3,856 B with one of 3,000.
 */
const projectBytes = 30_000;
/** The bytes that a record takes in addition to its texts, with its places in indexes. */
const recordBytes = 450;
/** The bytes that a character of an entry or a snapshot takes. */
const characterBytes = 1.1;

/** At most, of the heap, for objects that were just allocated: projects are not among them. */
const youngBytesMax = 192 * 1024 * 1024;

/**
 * The default memory of projects: half of the heap for lasting objects. The other half is for calls, and for loading a
 * project; without it the process would collect garbage all the time.
 */
export function memoryBytesOf(heapBytesMax: number): number {
  // With a heap that small, less is kept for newly allocated objects.
  return Math.floor(Math.max((heapBytesMax - youngBytesMax) / 2, heapBytesMax / 4));
}

export const memoryBytesDefault = memoryBytesOf(getHeapStatistics().heap_size_limit);

/** The projects that stay in memory: the last used ones, as many as fit. */
export class ProjectMemory {
  readonly bytesMax: number;
  /** When it was last looked at, less could be dropped than was too much. */
  isOver = false;
  /** The estimated bytes of each project. The last used one is the last. */
  readonly #used = new Map<HostedProject, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** The estimated memory of the projects, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Another project would be too much. */
  get isFull(): boolean {
    return this.bytes >= this.bytesMax;
  }

  used(project: HostedProject): void {
    this.forget(project);
    this.#set(project);
  }

  /** The project has grown, or shrunk. */
  changed(project: HostedProject): void {
    if (this.#used.has(project)) this.#set(project);
  }

  forget(project: HostedProject): void {
    this.#bytes -= this.#used.get(project) ?? 0;
    this.#used.delete(project);
  }

  #set(project: HostedProject): void {
    const bytes = bytesOf(project);
    this.#bytes += bytes - (this.#used.get(project) ?? 0);
    this.#used.set(project, bytes);
  }

  /** The projects that were last used before this time, by the monotonic clock. */
  *usedBefore(at: number): IterableIterator<HostedProject> {
    for (const project of this.#used.keys()) {
      if (project.used.at >= at) return;
      yield project;
    }
  }

  /** The projects that are too much, longest unused first. `mayLeave`: it can be dropped now. */
  surplus(mayLeave: (project: HostedProject) => boolean): readonly HostedProject[] {
    const surplus: HostedProject[] = [];
    let { bytes } = this;
    for (const [project, ofProject] of this.#used) {
      if (bytes <= this.bytesMax) break;
      if (!mayLeave(project)) continue;
      surplus.push(project);
      bytes -= ofProject;
    }
    this.isOver = bytes > this.bytesMax;
    return surplus;
  }
}

function bytesOf({ index, heldCharacters }: HostedProject): number {
  return projectBytes + index.recordCount * recordBytes + heldCharacters * characterBytes;
}
