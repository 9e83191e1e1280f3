/** The process of a long-running command: the events that it handles, and its end. */
export interface ProcessEvents {
  /** The first SIGTERM or SIGINT calls the listener; the second ends the process immediately. */
  onEndSignal(listener: () => void): void;
  /** Calls the listener for every uncaught exception and unhandled rejection; they no longer end the process. */
  onUncaughtException(listener: (thrown: unknown, origin: string) => void): void;
  /** SIGINT, which a terminal sends to all its programs, does not end the process until the returned function is called. */
  ignoreInterrupts(): () => void;
  /** Ends the process immediately. */
  exit(code: number): void;
}

/** The events of this process. */
export const processEvents: ProcessEvents = {
  onEndSignal(listener) {
    let ending = false;
    const onSignal = (): void => {
      // 130 is the exit code that shells use for SIGINT.
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
  ignoreInterrupts() {
    const ignore = (): void => undefined;
    process.on('SIGINT', ignore);
    return () => void process.off('SIGINT', ignore);
  },
  exit: (code) => process.exit(code),
};
