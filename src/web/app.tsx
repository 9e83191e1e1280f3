import { createBrowserRouter } from 'react-router';
import type { RouteObject } from 'react-router';
import { AppFrame } from './frame/app-frame.tsx';
import { NoSuchPage, ViewError } from './frame/no-such-page.tsx';
import { ProjectFrame } from './frame/project-frame.tsx';
import { projectViews } from './frame/views.tsx';
import { Home } from './views/home/home.tsx';

/** Every view has its own address and is loaded on its first visit. */
const routes: RouteObject[] = [
  {
    element: <AppFrame />,
    errorElement: <ViewError />,
    children: [
      { index: true, element: <Home />, errorElement: <ViewError /> },
      {
        path: 'projects/:projectId',
        element: <ProjectFrame />,
        errorElement: <ViewError />,
        children: projectViews.flatMap(({ path, View }): RouteObject[] => [
          {
            ...(path === '' ? { index: true } : { path: `${path}/*` }),
            element: <View />,
            errorElement: <ViewError />,
          },
        ]),
      },
      { path: '*', element: <NoSuchPage /> },
    ],
  },
];

export const router = createBrowserRouter(routes);

// The view of the address loads while the frame is drawn.
const [, opened = ''] = /^\/projects\/[^/]+\/?([^/]*)/.exec(window.location.pathname) ?? [];
if (window.location.pathname.startsWith('/projects/'))
  void projectViews.find(({ path }) => path === opened)?.View.preload();
