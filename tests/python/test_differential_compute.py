import differential_creation
import differential_reduce
import differential_statistics
import differential_ufunc

FAMILIES = {**differential_ufunc.FAMILIES, **differential_reduce.FAMILIES, **differential_statistics.FAMILIES,
            **differential_creation.FAMILIES}
