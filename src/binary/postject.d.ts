/** The part of postject that is used here; the package has no types. */
declare module 'postject' {
  interface InjectOptions {
    /** The text in the executable that marks whether a resource was injected. */
    readonly sentinelFuse: string;
    /** The segment of the resource, on macOS. */
    readonly machoSegmentName?: string;
  }
  /** Injects a resource into an executable and writes it. */
  export function inject(path: string, resource: string, bytes: Buffer, options: InjectOptions): Promise<void>;
}
