import { Compass } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';
import { useTitle } from '../shell/title.ts';

export function NoSuchPage(): ReactElement {
  useTitle('Nothing here');
  return (
    <Empty
      icon={Compass}
      isPage
      title="There is nothing at this address"
      actions={<Link to="/">Go to all projects</Link>}
    >
      It may have been deleted, or the address is incomplete.
    </Empty>
  );
}

/** The error boundary of a view: the rest of the page continues to work. */
export function ViewError(): ReactElement {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NoSuchPage />;
  return (
    <div role="alert">
      <Empty
        title="This view has failed"
        actions={<Button onClick={() => window.location.reload()}>Load it again</Button>}
      >
        {error instanceof Error ? error.message : 'No reason was given.'}
      </Empty>
    </div>
  );
}
