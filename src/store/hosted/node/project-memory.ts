import { getHeapStatistics } from 'node:v8';
import type { HostedProject } from './hosted-project.ts';

/** What a project takes beside its records. Measured, and 15 to 25 % added: 848 B for a task without texts, 3,856 B with one of 3,000. */
const projectBytes = 30_000;
/** What a record takes beside its texts, with its places in indexes. */
const recordBytes = 450;
/** What a character takes that an entry or a snapshot contains. */
const characterBytes = 1.1;

/** At most, of the heap, for objects that were just allocated: projects are not among them. */
const youngBytesMax = 192 * 1024 * 1024;

/**
 * By default, projects may take half of the heap for objects that stay. The other half is for calls, and for what a project
 * takes while it is loaded; without it the process would collect garbage all the time.
 */
export function memoryBytesOf(heapBytesMax: number): number {
  // With a heap that small, less is kept for what was just allocated.
  return Math.floor(Math.max((heapBytesMax - youngBytesMax) / 2, heapBytesMax / 4));
}

export const memoryBytesDefault = memoryBytesOf(getHeapStatistics().heap_size_limit);

/** Which projects stay in memory: those that were used last, as many as fit. */
export class ProjectMemory {
  readonly bytesMax: number;
  /** When it was last looked at, less could be dropped than was too much. */
  isOver = false;
  /** The last used one is the last. */
  readonly #used = new Set<HostedProject>();

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** What the projects take, in bytes: an estimate. */
  get bytes(): number {
    let bytes = 0;
    for (const project of this.#used) bytes += bytesOf(project);
    return bytes;
  }

  /** Another project would be too much. */
  get isFull(): boolean {
    return this.bytes >= this.bytesMax;
  }

  used(project: HostedProject): void {
    this.#used.delete(project);
    this.#used.add(project);
  }

  forget(project: HostedProject): void {
    this.#used.delete(project);
  }

  /** The projects that are too much, longest unused first. `mayLeave`: it can be dropped now. */
  surplus(mayLeave: (project: HostedProject) => boolean): readonly HostedProject[] {
    const surplus: HostedProject[] = [];
    let { bytes } = this;
    for (const project of this.#used) {
      if (bytes <= this.bytesMax) break;
      if (!mayLeave(project)) continue;
      surplus.push(project);
      bytes -= bytesOf(project);
    }
    this.isOver = bytes > this.bytesMax;
    return surplus;
  }
}

function bytesOf({ index, heldCharacters }: HostedProject): number {
  return projectBytes + index.recordCount * recordBytes + heldCharacters * characterBytes;
}
