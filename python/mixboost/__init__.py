"""mixboost: gradient boosting whose every round draws its base learner at random."""
