#pragma weak cp_compress
#pragma weak cp_nonzero
#pragma weak cp_argwhere
#pragma weak cp_flatnonzero
#pragma weak cp_mask_get
#pragma weak cp_mask_set
