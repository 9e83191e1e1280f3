/** The resources whose changes were reported to a client. */
export class Updates {
  readonly uris: string[] = [];
  #wake = (): void => undefined;

  add(uri: string): void {
    this.uris.push(uri);
    this.#wake();
  }

  /** Resolves when there is an update of the resource, and forgets those up to it. */
  async of(uri: string): Promise<void> {
    for (;;) {
      const at = this.uris.indexOf(uri);
      if (at !== -1) return void this.uris.splice(0, at + 1);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
