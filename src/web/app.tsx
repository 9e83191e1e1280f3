import { createBrowserRouter } from 'react-router';
import type { RouteObject } from 'react-router';
import { AppFrame } from './shell/app-frame.tsx';
import { NoSuchPage, ViewError } from './shell/no-such-page.tsx';
import { ProjectFrame } from './shell/project-frame.tsx';
import { projectViews } from './views.ts';
import { Home } from './views/home/home.tsx';

/** Every view has its own address and is loaded on its first visit. */
const routes: RouteObject[] = [
  {
    element: <AppFrame />,
    errorElement: <ViewError />,
    children: [
      { index: true, element: <Home /> },
      {
        path: 'projects/:projectId',
        element: <ProjectFrame />,
        children: projectViews.flatMap(({ path, load }): RouteObject[] => [
          { ...(path === '' ? { index: true } : { path: `${path}/*` }), lazy: load, errorElement: <ViewError /> },
        ]),
      },
      { path: '*', element: <NoSuchPage /> },
    ],
  },
];

export const router = createBrowserRouter(routes);
