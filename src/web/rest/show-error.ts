import { toast } from 'sonner';

/**
 * The time that a notification is shown, in milliseconds. A person who looks elsewhere when it appears still finds what
 * was not done, and why.
 */
const shownMs = 20_000;

/** Shows that something was not done, and the reason. `id`: replaces the notification with this id. */
export function showError(what: string, reason?: string, id?: string | number): void {
  toast.error(what, { duration: shownMs, description: reason, ...(id === undefined ? {} : { id, action: undefined }) });
}
