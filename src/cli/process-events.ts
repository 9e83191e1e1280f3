/** What a command that runs until it is ended learns of the process that it runs in. */
export interface ProcessEvents {
  /** The first SIGTERM or SIGINT calls the listener; the second one ends the process at once. */
  onEndSignal(listener: () => void): void;
  /** Every exception that nothing caught calls the listener, rejections included; none ends the process by itself any more. */
  onUncaughtException(listener: (thrown: unknown, origin: string) => void): void;
}

/** Those of this process. */
export const processEvents: ProcessEvents = {
  onEndSignal(listener) {
    let ending = false;
    const onSignal = (): void => {
      // 130: ended by a signal, as shells have it.
      if (ending) process.exit(130);
      ending = true;
      listener();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  },
  onUncaughtException(listener) {
    process.on('uncaughtException', listener);
  },
};
