// `errand/zod`: the copy that reads options, so that a provider's schemas and ours are of one kind.
export { z } from 'zod';
