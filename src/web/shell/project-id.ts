import { useParams } from 'react-router';

/** The project of the address. */
export function useProjectId(): string {
  const { projectId } = useParams();
  if (projectId === undefined) throw new Error('This view belongs to a project.');
  return projectId;
}
