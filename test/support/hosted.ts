/** Required first by a run over hosted services. */
process.env['PLANNER_TEST_STORE'] = 'hosted';
