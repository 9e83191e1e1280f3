import { toast } from 'sonner';
import { call } from '../api/client.ts';

/** Restores a deletion; reports the records that could not be restored. */
export async function restored(project_id: string, trash_id: string): Promise<void> {
  const { left_out: left, label } = await call('restore_from_trash', { project_id, trash_id });
  const [first] = left;
  if (first === undefined) return;
  toast.warning(`Restored, without ${left.length === 1 ? 'one thing' : `${left.length} things`}: “${label}”.`, {
    description: first.reason,
  });
}
